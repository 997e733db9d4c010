// A driver process: a client in another language, which takes orders as lines of JSON. Its requests come back through a relay,
// so that the suite sees and checks each of them.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ClientOptions } from "@call-transfer/sdk";
import type { Target } from "../src/suite/target.ts";
import { DrivenClient, type Report } from "./driven-client.ts";

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
export class Driver {
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
      } = options as ClientOptions;
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
