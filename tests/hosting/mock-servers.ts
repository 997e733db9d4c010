// Mock servers as processes of their own, each with its state in a file.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { demo } from "@call-transfer/backend";
import { CallTransfer, type Middleware } from "@call-transfer/sdk";
import { type ServerProcess, startServer, temporaryFolder } from "../receiving/server-process.ts";

const cli = fileURLToPath(new URL("../../packages/mock-server/src/cli.ts", import.meta.url));
const program = [process.execPath, "--conditions=@call-transfer/source", cli];

/** The control token of every server. */
export const controlToken = "0123456789abcdef";

/** Starts a server with more options. It keeps its state over a restart. */
export function startMock(...options: readonly string[]): Promise<ServerProcess> {
  const fixed = ["--data-file", "mock.db", "--control-token", controlToken, "--log-format", "silent", "--json"];
  return startServer(
    {
      command: (port) => [...program, "--port", String(port), ...fixed, ...options],
      folder: temporaryFolder(),
      readyText: '"url"',
      endSignal: "SIGTERM",
    },
    "http://",
  );
}

/** Runs a command of the mock server against a server, and returns what it prints. */
export async function runCommand(url: string, ...words: readonly string[]): Promise<string> {
  const [file = "", ...options] = [...program, ...words, "--url", url, "--control-token", controlToken];
  const { stdout } = await promisify(execFile)(file, options, { timeout: 300_000 });
  return stdout;
}

/** How a client names its sandbox. */
export type Naming = "path" | "header";

const withHeader =
  (sandbox: string): Middleware =>
  (request, next) => {
    request.headers.set("X-Sandbox", sandbox);
    return next();
  };

/** A client of a sandbox. It does not retry, so that each failure shows. */
export function clientOf(url: string, sandbox: string, naming: Naming): CallTransfer {
  const options = { apiKey: demo.apiKey, maxRetries: 0 };
  if (naming === "path") return new CallTransfer({ ...options, baseUrl: `${url}/_sandbox/${sandbox}` });
  return new CallTransfer({ ...options, baseUrl: url, middleware: [withHeader(sandbox)] });
}

/** What the control plane answers. */
export async function control(
  url: string,
  path: string,
  { sandbox, method = "GET", body }: { sandbox?: string; method?: string; body?: unknown } = {},
): Promise<unknown> {
  const headers = {
    Authorization: `Bearer ${controlToken}`,
    ...(sandbox !== undefined && { "X-Sandbox": sandbox }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const response = await fetch(`${url}/_control/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** The names of a server's sandboxes other than `default`. */
export async function sandboxesOf(url: string): Promise<readonly string[]> {
  const { sandboxes } = (await control(url, "/sandboxes")) as { sandboxes: readonly { name: string }[] };
  return sandboxes.map(({ name }) => name).filter((name) => name !== "default");
}
