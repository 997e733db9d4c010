import { startPrismServer } from "../../server/prism.ts";
import { program } from "../terminal/program.ts";
import { terminalWidth } from "../terminal/width.ts";
import { commandRow } from "./banner-rows.ts";
import { localUrl } from "./credentials.ts";
import { runServer } from "./run-server.ts";
import { beginReadyFile } from "./start.ts";
import { expectTakenByPrism, type StartValues, serverOptions } from "./start-options.ts";

/** What `--json` and `--ready-file` contain. */
interface PrismReadyInfo {
  readonly pid: number;
  readonly url: string;
  readonly engine: "prism";
  /** An API key to send; Prism accepts every key. */
  readonly apiKey: string;
}

/** Starts Prism and prints its address. A signal ends the process. */
export async function startPrism(values: StartValues): Promise<void> {
  const { "ready-file": readyFile } = values;
  if (readyFile !== undefined) beginReadyFile(readyFile);
  expectTakenByPrism(values);
  const { port = 0, host, corsOrigins } = serverOptions(values);
  const server = await startPrismServer({ port, cors: corsOrigins !== undefined, ...(host !== undefined && { host }) });
  const ready: PrismReadyInfo = {
    pid: process.pid,
    url: localUrl(server.url),
    engine: "prism",
    apiKey: "svc_live_any",
  };
  await runServer(server, { values, log: "silent", prepare: () => ready, banner });
}

function banner({ url, apiKey }: PrismReadyInfo): string {
  const width = terminalWidth(process.stdout);
  return [
    `Prism listening on ${url}`,
    "",
    "Prism is stateless: every response is an example from the OpenAPI document.",
    "Any bearer token works. The header Prefer: code=404 selects another response.",
    "",
    commandRow("Try", `curl ${url}/api/v1/roles -H "Authorization: Bearer ${apiKey}"`, width, String),
    `Help: ${program} --help · Stop: Ctrl-C`,
  ].join("\n");
}
