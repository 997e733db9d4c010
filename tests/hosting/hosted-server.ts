// A hosted mock server and what tests send to it.
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { controlToken, startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";

export const temporaryFolder = () => mkdtempDisposableSync(join(tmpdir(), "call-transfer-hosting-"));

/** A response with its JSON, or its text. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what they read
  readonly body: any;
}

/** A request to a Worker. `fetch` cannot set the host name. */
export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly host?: string;
}

/** A hosted mock server that can be restarted. */
export class MockServer {
  readonly #options: WorkerdOptions;
  #workerd: Workerd;

  private constructor(workerd: Workerd, options: WorkerdOptions) {
    this.#workerd = workerd;
    this.#options = options;
  }

  static async start(options: WorkerdOptions = {}): Promise<MockServer> {
    return new MockServer(await startWorkerd(options), options);
  }

  get url(): string {
    return this.#workerd.url;
  }

  async stop(): Promise<void> {
    await this.#workerd.stop();
  }

  /** Starts on what the objects have stored. */
  async startAgain(): Promise<void> {
    this.#workerd = await startWorkerd(this.#options);
  }

  /** Ends the runtime with SIGKILL. */
  async kill(): Promise<void> {
    await this.#workerd.kill();
  }

  /** Asks the API, by default with the key of the demo data. */
  ask(path: string, { method = "GET", headers = {}, body, host }: Question = {}): Promise<Answer> {
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    return send(new URL(path, this.url), {
      method,
      headers: {
        Authorization: `Bearer ${demo.apiKey}`,
        ...json,
        ...headers,
        ...(host !== undefined && { Host: host }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** Asks the control plane of a sandbox. Rejects with its error. */
  async control(sandbox: string, method: string, path: string, body?: unknown): Promise<Answer["body"]> {
    const headers = { Authorization: `Bearer ${controlToken}` };
    const answer = await this.ask(`/_sandbox/${sandbox}/_control/v1${path}`, { method, headers, body });
    if (answer.status >= 300) throw new Error(`${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function send(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // No agent: a connection that is kept alive does not survive a restart.
    const outgoing = request(url, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = incoming.headers["content-type"]?.includes("json") ?? false;
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: isJson && text !== "" ? JSON.parse(text) : text,
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A webhook that a receiver got. */
export interface Received {
  /** The body exactly as it was sent. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Starts a server that receives webhooks. `isSilent` decides which ones it never answers. */
export async function startReceiver(isSilent: (count: number) => boolean = () => false) {
  const received: Received[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      received.push({ text: Buffer.concat(chunks).toString(), headers: incoming.headers });
      if (!isSilent(received.length)) outgoing.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/offers`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
