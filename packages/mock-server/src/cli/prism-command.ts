import { startPrismServer } from "../server/prism.ts";
import { UsageError } from "./command-line.ts";
import { pasteable } from "./credentials.ts";
import { program } from "./program.ts";
import { removeOwnReadyFile } from "./ready-file.ts";
import { beginReadyFile, onSignal, writeWhole } from "./start.ts";
import { type StartValues, serverOptions } from "./start-options.ts";

/** What `--json` and `--ready-file` say. */
interface Ready {
  /** The process that serves. */
  readonly pid: number;
  readonly url: string;
  readonly engine: "prism";
  /** A key to send; Prism takes any other one as well. */
  readonly apiKey: string;
}

const meaningful: ReadonlySet<string> = new Set(["engine", "port", "host", "cors", "json", "ready-file"]);

/** Starts Prism as the options say, and prints what is needed to use it. Ends the process on a signal. */
export async function startPrism(values: StartValues): Promise<void> {
  const { json, "ready-file": readyFile } = values;
  if (readyFile !== undefined) beginReadyFile(readyFile);
  const useless = Object.entries(values).find(([name, value]) => !meaningful.has(name) && value !== false);
  if (useless !== undefined)
    throw new UsageError(`--${useless[0]} has no meaning with --engine prism, which keeps no state.`);
  const { port = 0, host, corsOrigins } = serverOptions(values);
  const server = await startPrismServer({ port, cors: corsOrigins !== undefined, ...(host !== undefined && { host }) });
  onSignal(async () => {
    if (readyFile !== undefined) removeOwnReadyFile(readyFile);
    await server.close();
  });
  const ready: Ready = { pid: process.pid, url: pasteable(server.url), engine: "prism", apiKey: "svc_live_any" };
  try {
    if (readyFile !== undefined) writeWhole(readyFile, JSON.stringify(ready));
  } catch (error) {
    await server.close();
    throw error;
  }
  console.log(json ? JSON.stringify(ready) : banner(ready));
}

function banner({ url, apiKey }: Ready): string {
  return [
    `Prism listens on ${url}`,
    "",
    "It is stateless: whatever was sent before, it answers with examples of the API's document.",
    "Any bearer token will do. The header Prefer: code=404 asks for another answer.",
    "",
    `Try:   curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`,
    `Help:  ${program} --help`,
    "Stop:  Ctrl-C",
  ].join("\n");
}
