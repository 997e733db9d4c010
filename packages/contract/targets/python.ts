// The Python client over HTTP, by threads and on asyncio. A driver process takes orders as lines of JSON, as
// packages/contract/vectors/README.md describes. Its requests come back through a relay, so that the suite checks each of them.
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import * as sdk from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import type { Target, TimeRecord } from "../src/suite/target.ts";
import { openHttp } from "./http.ts";
import { type TargetRunner, withSharedSetup } from "./runner.ts";

/** An error as the driver reports it. */
interface ReportedError {
  readonly name: string;
  readonly message: string;
  readonly outcome?: sdk.RequestOutcome;
  readonly attempts?: readonly sdk.Attempt[];
  readonly retrySkippedReason?: sdk.RetrySkippedReason;
  /** Those of an error response. */
  readonly status?: number;
  readonly body?: NonNullable<sdk.ApiErrorDetails["body"]>;
  readonly requestId?: string;
  readonly retryAfterSecs?: number;
  /** That of an unknown outcome, and how its last attempt ended. */
  readonly window?: sdk.OutcomeWindow;
  readonly cause?: ReportedError;
}

/** What came of a call. */
interface Report {
  readonly waitsMs: readonly number[];
  readonly limitsMs: readonly number[];
  readonly data?: unknown;
  /** Those of a success. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: ReportedError;
}

/** Sends a message to the driver, and returns its answer. */
type Ask = (message: Readonly<Record<string, unknown>>) => Promise<Report>;

/** Creates the SDK's error of the same name. */
function errorOf(reported: ReportedError, operationId: string): Error {
  const { name, message, outcome = "unknown", attempts = [], window, status = 0 } = reported;
  const details = { ...reported, operationId, outcome, attempts, status };
  const cause = reported.cause && errorOf(reported.cause, operationId);
  if (name === "OutcomeUnknownError" && window)
    return new sdk.OutcomeUnknownError(message, { ...details, window }, cause);
  const [subject = "", ...problem] = message.split(" ");
  if (name === "ConfigurationError") return new sdk.ConfigurationError(subject, problem.join(" "));
  if (name === "InvalidArgumentError") return new sdk.InvalidArgumentError(subject, problem.join(" "));
  const kind: unknown = Reflect.get(sdk, name);
  if (typeof kind !== "function") return new Error(`The driver reported ${name}: ${message}`);
  const isApi = kind === sdk.ApiError || kind.prototype instanceof sdk.ApiError;
  return Reflect.construct(kind, isApi ? [details] : [message, details, cause]) as Error;
}

function operationAt(method: string, route: string): OperationId {
  const found = Object.values(operations).find((one) => one.method === method && one.path === route);
  if (found === undefined) throw new TypeError(`There is no operation ${method} ${route}.`);
  return found.id;
}

/** Has the methods of the SDK's client, and sends through the driver. */
class DrivenClient extends sdk.CallTransfer {
  readonly #ask: Ask;
  readonly #time: TimeRecord | undefined;

  constructor(options: sdk.ClientOptions, ask: Ask, time?: TimeRecord) {
    super(options);
    this.#ask = ask;
    this.#time = time;
  }

  override request<T>(method: string, path: string, input: sdk.RequestInput = {}): sdk.ApiPromise<T> {
    const respond = async (): Promise<sdk.ApiResponse<T>> => {
      const operation = operationAt(method, path);
      const report = await this.#ask({ do: "call", operation, ...input });
      this.#time?.waits.push(...report.waitsMs);
      this.#time?.attemptTimeoutsMs.push(...report.limitsMs);
      if (report.error) throw errorOf(report.error, operation);
      const { data, status = 200, headers } = report;
      const response = new Response(null, { status, ...(headers && { headers }) });
      return { data: data as T, response, requestId: response.headers.get("x-request-id") ?? undefined };
    };
    const whole = respond();
    const promise = whole.then(({ data }) => data);
    // A case may ask for either.
    for (const one of [whole, promise]) one.catch(() => {});
    const result = () =>
      whole.then(
        (success) => ({ ...success, ok: true, error: undefined }),
        (error: unknown) => ({ ok: false, data: undefined, error }),
      );
    // The SDK's own promise begins with the SDK's own request.
    return Object.assign(promise, { withResponse: () => whole, result }) as unknown as sdk.ApiPromise<T>;
  }
}

/** Headers that belong to one connection, or to a body that was decoded. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
  "date",
]);

/** Where the requests of a client go. */
interface Route {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

async function relay(request: IncomingMessage, response: ServerResponse, route: Route, path: string): Promise<void> {
  const stop = new AbortController();
  response.once("close", () => stop.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headersDistinct)
    .filter(([name]) => !hopByHop.has(name) && name !== "host")
    .flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
  const init = { method: request.method ?? "GET", headers, redirect: "manual", signal: stop.signal, ...body } as const;
  const answer = await route.fetch(route.baseUrl + path, init);
  for (const [name, value] of answer.headers) if (!hopByHop.has(name)) response.appendHeader(name, value);
  response.writeHead(answer.status);
  // Not with the first piece of the body, which may be late.
  response.flushHeaders();
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body as never), response);
}

/** A driver that runs, with its relay. */
class Driver {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #server: Server;
  readonly #routes = new Map<string, Route>();
  readonly #pending = new Map<number, (report: Report) => void>();
  #asked = 0;
  #broken: string | undefined;

  private constructor(command: readonly [string, ...string[]], environment: NodeJS.ProcessEnv, server: Server) {
    const [program, ...options] = command;
    this.#child = spawn(program, options, { stdio: ["pipe", "pipe", "inherit"], env: environment });
    this.#child.once("exit", (status) => this.#fail(`The driver ended with status ${status}.`));
    this.#server = server;
    createInterface(this.#child.stdout).on("line", (line) => {
      const { id, ...report } = JSON.parse(line) as Report & { id: number };
      this.#pending.get(id)?.(report);
      this.#pending.delete(id);
    });
    server.on("request", (request, response) => {
      const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
      const route = this.#routes.get(name);
      const lost = () => response.destroy();
      if (route) relay(request, response, route, path).catch(lost);
      else lost();
    });
  }

  static async start(command: readonly [string, ...string[]], environment = process.env): Promise<Driver> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Driver(command, environment, server);
  }

  /** How many clients were created, which is how one tells the cases that go through a client from the others. */
  get clients(): number {
    return this.#routes.size;
  }

  /** What creates the clients of a target. */
  clientsOf(): NonNullable<Target["createClient"]> {
    return (options, time) => {
      const {
        baseUrl = "",
        fetch = globalThis.fetch,
        apiKey,
        accessToken,
        accountId,
        maxRetries,
        retry,
      } = options as sdk.ClientOptions;
      const name = `c${this.#routes.size + 1}`;
      this.#routes.set(name, { baseUrl, fetch });
      const { port } = this.#server.address() as AddressInfo;
      const opened = this.#ask({
        do: "open",
        client: name,
        baseUrl: `http://127.0.0.1:${port}/${name}`,
        ...{ apiKey, accessToken, accountId, maxRetries, retry },
        ...(time && { time: { firstDeadlineMs: time.firstDeadlineMs } }),
      });
      opened.catch(() => {});
      const ask = async (message: Readonly<Record<string, unknown>>): Promise<Report> => {
        const { error } = await opened;
        return error === undefined ? this.#ask({ ...message, client: name }) : { waitsMs: [], limitsMs: [], error };
      };
      return new DrivenClient(options, ask, time);
    };
  }

  #ask(message: Readonly<Record<string, unknown>>): Promise<Report> {
    if (this.#broken !== undefined) return Promise.reject(new Error(this.#broken));
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ id, ...message })}\n`);
    });
  }

  #fail(message: string): void {
    this.#broken = message;
    const error = { name: "DriverError", message };
    for (const resolve of this.#pending.values()) resolve({ waitsMs: [], limitsMs: [], error });
    this.#pending.clear();
  }

  /** Ends the process and the relay. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const folder = fileURLToPath(new URL("../../python/", import.meta.url));

/** Prints the folder of the commands of the checks' environment, which it makes first. */
const environmentOf = ["run", "--silent", "--prefix", "../..", "check", "--", "python", "--environment"];

function python(mode: "sync" | "async"): TargetRunner {
  const name = `python-${mode}`;
  return withSharedSetup(name, async () => {
    const program = join(execFileSync("npm", environmentOf, { cwd: folder, encoding: "utf8" }).trim(), "python");
    const environment = { ...process.env, PYTHONPATH: join(folder, "src"), PYTHONDONTWRITEBYTECODE: "1" };
    const driver = await Driver.start([program, join(folder, "tests/contract_driver.py"), mode], environment);
    const { open, stop } = await openHttp(name);
    let [through, others] = [0, 0];
    return {
      async open() {
        const { target, close } = await open();
        const before = driver.clients;
        return {
          target: { ...target, createClient: driver.clientsOf() },
          async close() {
            if (driver.clients > before) through += 1;
            else others += 1;
            await close();
          },
        };
      },
      async stop() {
        await driver.stop();
        await stop();
        console.log(`${name}: ${through} cases through the client, ${others} with raw requests or none`);
      },
    };
  });
}

export const pythonSync = python("sync");
export const pythonAsync = python("async");
