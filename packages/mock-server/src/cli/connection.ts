// How a command reaches a running server.
import {
  type ControlClient,
  controlAnswers,
  createControlClient,
  formatDuration,
} from "@call-transfer/backend/control-client";
import { type Connection, startHint } from "./output.ts";

/** A server, as a command acts on it. */
export interface Server {
  readonly control: ControlClient;
  /** Sends a request to the server, and gives up on one that does not answer. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Without a slash at the end. */
  readonly url: string;
  readonly sandbox: string;
  /** What each request to the control plane has, for those that `control` does not send. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Milliseconds that a server may take for an answer with its body. A request may ask it to wait for 30 seconds. */
const answerTimeoutMs = 60_000;

/** Creates the client of a server, which rejects answers that are not those of a mock server. */
export function connect(
  { url: address, sandbox, controlToken }: Pick<Server, "url" | "sandbox"> & { controlToken: string | undefined },
  timeoutMs = answerTimeoutMs,
): Server {
  const url = address.replace(/\/+$/, "");
  const fetch = createFetch(url, timeoutMs);
  const control = createControlClient({ url, sandbox, token: controlToken, fetch });
  checkAnswers(control, url);
  const headers = {
    "X-Sandbox": sandbox,
    ...(controlToken !== undefined && { Authorization: `Bearer ${controlToken}` }),
  };
  return { control, fetch, url, sandbox, headers };
}

/** A `fetch` that does not wait forever for a server, nor for the rest of its answer. */
function createFetch(url: string, timeoutMs: number): Server["fetch"] {
  return async (request) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await globalThis.fetch(request, { signal: AbortSignal.any([request.signal, timeout]) });
      return response.body === null ? response : new Response(await response.blob(), response);
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new Error(
        `No whole answer from ${url} within ${formatDuration(timeoutMs)}. The server may still be working on it. Check --url, or advance its frozen clock.`,
        { cause: error },
      );
    }
  };
}

/** An error of a command with a server, in words that say what to do. */
export function explained(error: unknown, url: string, given: Connection): unknown {
  if (error instanceof SyntaxError)
    return new Error(`The server at ${url} is not a mock server. Check --url.`, { cause: error });
  if (!(error instanceof TypeError)) return error;
  const { code } = Object(error.cause) as { code?: unknown };
  if (typeof code === "string" && /CERT|VERIFY|ISSUER/.test(code))
    return new Error(
      `The certificate of ${url} is not trusted, or it is for another name. Set NODE_EXTRA_CA_CERTS to the file of --tls-cert, and use a name of the certificate in --url.`,
      { cause: error },
    );
  return error.message === "fetch failed" ? new Error(unreachable(url, code, given), { cause: error }) : error;
}

/** Why there was no response, and what to do. */
function unreachable(url: string, code: unknown, { config }: Connection): string {
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET")
    return `The server at ${url} closed the connection. If it was started with --tls-cert, use https:// in --url.`;
  if (code === "EPROTO" || (typeof code === "string" && code.startsWith("ERR_SSL_")))
    return `The server at ${url} does not use TLS. Use http:// in --url.`;
  return `No server is running at ${url}. Check --url, or start a server: ${startHint({ config, url })}`;
}

/** Makes a client reject successes that do not have what the control plane's document says. */
function checkAnswers(control: ControlClient, url: string): void {
  control.use({
    async onResponse({ request, response, schemaPath }) {
      if (response.headers.get("content-type")?.includes("problem+json") && (await isPrism(response)))
        throw new Error(
          `The server at ${url} is Prism, which has no control plane. Start the server without --prism, or name another one with --url.`,
        );
      const [status, ...fields] = controlAnswers[`${request.method} ${schemaPath}`] ?? [];
      if (!response.ok || status === undefined) return undefined;
      const refuse = (what: string) => {
        const operation = `${request.method} ${new URL(request.url).pathname}`;
        throw new Error(
          `The server at ${url} answered ${operation} with ${what}, so it is not a mock server of this version. Check --url.`,
        );
      };
      if (response.status !== status) refuse(`status ${response.status}`);
      if (fields.length === 0) return undefined;
      const text = await response.text();
      const found = new Map<string, unknown>(Object.entries(Object(JSON.parse(text))));
      const missing = fields.filter((field) => !has(found, field));
      if (missing.length > 0) refuse(`JSON that lacks ${missing.map(nameOf).join(", ")}`);
      return new Response(text, response);
    },
  });
}

/** The name of a field; `[]` at its end says that it is a list. */
const nameOf = (field: string): string => field.replace("[]", "");

function has(found: ReadonlyMap<string, unknown>, field: string): boolean {
  const name = nameOf(field);
  return field === name ? found.get(name) !== undefined : Array.isArray(found.get(name));
}

/** Whether a problem is one of Prism, which answers every path that the document lacks. */
async function isPrism(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes("https://stoplight.io/prism/");
}
