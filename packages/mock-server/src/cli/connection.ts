// How a command reaches a running server.
import { type ControlClient, createControlClient } from "@call-transfer/backend/control-client";
import { commandLine } from "./output.ts";

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

/** Creates the client of a server. */
export function connect(
  { url: address, sandbox, controlToken }: Pick<Server, "url" | "sandbox"> & { controlToken: string | undefined },
  timeoutMs = answerTimeoutMs,
): Server {
  const url = address.replace(/\/+$/, "");
  const fetch: Server["fetch"] = (request) => globalThis.fetch(request, { signal: AbortSignal.timeout(timeoutMs) });
  const control = createControlClient({ url, sandbox, token: controlToken, fetch });
  control.use({
    onResponse({ response }) {
      if (!response.headers.get("content-type")?.includes("problem+json")) return;
      throw new Error(
        `The server at ${url} has no control plane: it is Prism or another program. Start the server without --prism, or name another one with --url.`,
      );
    },
  });
  const headers = {
    "X-Sandbox": sandbox,
    ...(controlToken !== undefined && { Authorization: `Bearer ${controlToken}` }),
  };
  return { control, fetch, url, sandbox, headers };
}

/** An error of a command with a server, in words that say what to do. */
export function explained(error: unknown, url: string): unknown {
  const message = messageFor(error, url);
  return message === undefined ? error : new Error(message, { cause: error });
}

function messageFor(error: unknown, url: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "TimeoutError")
    return `No whole answer from ${url} in time. The server may still be working on it. Check --url, or advance its frozen clock.`;
  // What comes of an answer that has other fields than the control plane's document says.
  if (error instanceof SyntaxError || (error instanceof TypeError && error.message !== "fetch failed"))
    return `The server at ${url} does not answer as a mock server of this version. Check --url.`;
  if (!(error instanceof TypeError)) return undefined;
  const { code = "" } = Object(error.cause) as { code?: string };
  if (/CERT|VERIFY|ISSUER/.test(code))
    return `The certificate of ${url} is not trusted, or it is for another name. Set NODE_EXTRA_CA_CERTS to the file of --tls-cert, and use a name of the certificate in --url.`;
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET")
    return `The server at ${url} closed the connection. If it was started with --tls-cert, use https:// in --url.`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return `The server at ${url} does not use TLS. Use http:// in --url.`;
  return `No server is running at ${url}. Check --url, or start a server: ${commandLine("start")}`;
}
