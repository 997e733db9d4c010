import { InputError } from "@call-transfer/backend";
import { type ProxyOptions, type ProxyServer, startProxy } from "../../proxy/proxy.ts";
import { writeFileAtomically } from "../files/write-file.ts";
import { program } from "../terminal/program.ts";
import { terminalWidth } from "../terminal/width.ts";
import { readUrl, UsageError } from "../values/command-line.ts";
import { commandRow } from "./banner-rows.ts";
import { localUrl } from "./credentials.ts";
import { runServer } from "./run-server.ts";
import { beginReadyFile, expectWritable, listening } from "./start.ts";
import { expectTaken, logMode, type StartValues, serverOptions } from "./start-options.ts";

/** What `--json` and `--ready-file` contain. */
interface ProxyReadyInfo {
  readonly pid: number;
  readonly url: string;
  readonly engine: "proxy";
  readonly target: string;
  readonly controlToken?: string;
}

/** How often the recording is written while it changes, in milliseconds. */
const recordEveryMs = 2000;

/** Starts a proxy and prints its address. A signal ends the process. */
export async function startProxyCommand(values: StartValues): Promise<void> {
  const { strict, record, "ready-file": readyFile } = values;
  const options = proxyOptions(values);
  const log = logMode(values);
  if (record !== undefined) expectWritable("--record", record);
  if (readyFile !== undefined) beginReadyFile(readyFile);
  const server = await listening(() => startProxy(options).catch(withOption), options);
  const recorder = record === undefined ? undefined : startRecorder(server, record);
  await runServer(server, {
    ...{ values, log, beforeClose: recorder?.end },
    prepare: () => readyInfo(server),
    banner: (ready) => banner(ready, strict, record),
  });
}

function proxyOptions(values: StartValues): ProxyOptions {
  expectTaken(values, "proxy");
  if (values.target === undefined)
    throw new UsageError(
      "--engine proxy requires --target with the API to forward to, such as --target https://staging.example.com",
    );
  // The options of the data and its sandboxes are left out.
  const { seed, faults, policies, autoSandboxes, maxSandboxes, clock, prng, ...others } = serverOptions(values);
  const { now, sandboxIdleMs, forwardWebhooks, ...listeningOptions } = others;
  return { ...listeningOptions, target: readUrl("--target", values.target), strict: values.strict };
}

/** Rethrows an error about the target as one of its option. */
function withOption(error: unknown): never {
  if (!(error instanceof InputError) || error.field !== "target") throw error;
  throw new UsageError(`--target: ${error.explanation}.`, { cause: error });
}

/** Writes what a proxy records to a file, from time to time and at the end. */
function startRecorder({ recordedSeed }: ProxyServer, path: string): { end(): void } {
  let written = "";
  const write = (): void => {
    const content = JSON.stringify(recordedSeed(), null, 2);
    if (content !== written) writeFileAtomically(path, content);
    written = content;
  };
  const timer = setInterval(() => {
    try {
      write();
    } catch {
      // The last attempt, at the end, reports it.
    }
  }, recordEveryMs).unref();
  return {
    end() {
      clearInterval(timer);
      write();
    },
  };
}

function readyInfo({ url, target, controlToken }: ProxyServer): ProxyReadyInfo {
  const token = controlToken === undefined ? {} : { controlToken };
  return { pid: process.pid, url: localUrl(url), engine: "proxy", target, ...token };
}

function banner({ url, target, controlToken }: ProxyReadyInfo, isStrict: boolean, record: string | undefined): string {
  const width = terminalWidth(process.stdout);
  const deviating = isStrict ? "refused with status 400" : "forwarded all the same";
  const token = controlToken === undefined ? "" : ` -H "Authorization: Bearer ${controlToken}"`;
  return [
    `Proxy listening on ${url}`,
    `Forwards to        ${target}`,
    `Inspector          ${url}/_inspector`,
    "",
    "Each request is sent once. Requests and responses are checked against the contract.",
    `Requests that deviate are ${deviating}.`,
    ...(record === undefined ? [] : [`What they show is written to ${record}.`]),
    ...(controlToken === undefined ? [] : ["", `Control token:      ${controlToken}`]),
    "",
    commandRow("Try", `curl ${url}/api/v1/roles -H "Authorization: Bearer YOUR_API_KEY"`, width, String),
    commandRow("Then", `curl ${url}/_control/v1/requests${token}`, width, String),
    `Help: ${program} --help · Stop: Ctrl-C`,
  ].join("\n");
}
