import {
  bodyLimit,
  controlError,
  errorResponse,
  isSandboxName,
  selectSandbox,
  type TransportFault,
} from "@call-transfer/backend/unstable";
import { allowedOrigins } from "../net/urls.ts";
import {
  type Admission,
  admitOrigin,
  controlPaths,
  corsHeaders,
  isOfOtherSite,
  preflightHeaders,
  type Refusal,
} from "../web/admission.ts";
import { inspectorPage, isForInspector, type PageRequest, rootAnswer } from "../web/inspector-page.ts";
import { clientHeaders, isUnknownSandbox, type OrderRequest, sendOrder, transportOf } from "./orders.ts";
import { directoryOf, type Fetcher, sandboxNamed, type WorkerEnv } from "./platform.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The paths that the directory answers, without the prefix of a sandbox. */
const directoryPaths = /^\/_control\/v1\/sandboxes(?:\/|$)/;

/** Responds to a request of a client. Throws InputError that names a wrong setting. */
export async function serve(request: Request, env: WorkerEnv): Promise<Response> {
  const { method, headers } = request;
  const url = new URL(request.url);
  const isRead = method === "GET" || method === "HEAD";
  if (url.pathname === "/health" && isRead && !isOfOtherSite((name) => headers.get(name)))
    return Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
  const settings = readSettings(env);
  const admitted = admit(request, url, settings);
  if ("code" in admitted) return errorResponse(admitted.code, admitted.detail);
  if (admitted.isPreflight)
    return new Response(null, { status: 204, headers: preflightHeaders(admitted, (name) => headers.get(name)) });
  const inHost = sandboxOfHost(url.hostname, settings);
  const page = { method, pathname: url.pathname, accept: headers.get("accept") ?? undefined };
  if (isForInspector(page)) return inspectorResponse(page, url, env.ASSETS, inHost);
  const root = inHost === undefined ? rootAnswer(page) : undefined;
  if (root !== undefined)
    return new Response(root.body, { ...root, headers: { ...root.headers, ...corsHeaders(admitted) } });
  return withHeaders(await responseOf(request, url, inHost, env, settings), corsHeaders(admitted));
}

/** The sandbox that a host name stands for; undefined for none. */
function sandboxOfHost(hostname: string, { hostSuffix }: Settings): string | undefined {
  return hostSuffix !== undefined && hostname.endsWith(hostSuffix) ? hostname.slice(0, -hostSuffix.length) : undefined;
}

/** The response of the sandbox that a request selects, or of the directory. */
async function responseOf(
  request: Request,
  url: URL,
  inHost: string | undefined,
  env: WorkerEnv,
  { isAuto }: Settings,
): Promise<Response> {
  const { method, headers } = request;
  const { name, path, conflict } = selectSandbox(url.pathname, headers, inHost);
  const refuse = controlPaths.test(path) ? controlError : errorResponse;
  if (conflict !== undefined) return refuse("bad_request", conflict);
  const maxBytes = bodyLimit(method, path);
  const read = await readBody(request, maxBytes);
  if (read === "too large" && refuse === controlError)
    return refuse("bad_request", `The request body is larger than ${maxBytes / 2 ** 20} MiB.`);
  // The sandbox judges the size where the operation reads a body, after the checks that come before.
  const body = read === "too large" ? new Uint8Array(maxBytes + 1) : read;
  url.pathname = path;
  const order: OrderRequest = { method, url: url.href, headers, body };
  if (directoryPaths.test(path)) return sendOrder(directoryOf(env), "manage", name, order);
  if (!isSandboxName(name)) return refuse("not_found", await explain(name, env));
  const respond = () => sendOrder(sandboxNamed(env, name), "respond", name, order);
  const response = await respond();
  if (!isUnknownSandbox(response)) return withFault(response);
  if (!isAuto) return refuse("not_found", await explain(name, env));
  const failure = await create(name, env);
  const second = await respond();
  return isUnknownSandbox(second) ? refuse("not_found", failure) : withFault(second);
}

async function explain(name: string, env: WorkerEnv): Promise<string> {
  return (await sendOrder(directoryOf(env), "explain", name)).text();
}

/** Creates a sandbox without options of its own. Returns why that failed; it may also exist by now. */
async function create(name: string, env: WorkerEnv): Promise<string> {
  const url = "https://directory.invalid/_control/v1/sandboxes";
  const headers = new Headers({ "Content-Type": "application/json" });
  const response = await sendOrder(directoryOf(env), "manage", name, { url, headers, body: JSON.stringify({ name }) });
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
  return `Sandbox "${name}" could not be created: ${error?.message ?? "it is gone already"}.`;
}

/**
 * Reads the whole body: an object could not read it after the client's request has ended. The rest of one that is too large is
 * read too, since the runtime closes a connection with unread bytes, which could discard the response.
 */
async function readBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null | "too large"> {
  if (body === null) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    length += chunk.byteLength;
    if (length <= maxBytes) chunks.push(chunk);
  }
  return length > maxBytes ? "too large" : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
  if (Object.keys(more).length === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

/** Accepts or rejects a request by its origin and, for the control plane, by its token. */
function admit({ method, headers }: Request, url: URL, { origins, controlToken }: Settings): Admission | Refusal {
  return admitOrigin(url, method, (name) => headers.get(name), {
    origins: allowedOrigins(origins),
    allow: (origin) => `Add ${origin} to CORS_ORIGINS in wrangler.jsonc.`,
    refuse(token) {
      if (controlToken === undefined)
        return "The control plane is off, because it has no token. Set one: npx wrangler secret put CONTROL_TOKEN";
      if (isSameText(token, controlToken)) return undefined;
      return `The control token is ${token === "" ? "missing" : "wrong"}. Send the Worker's secret CONTROL_TOKEN as Authorization: Bearer …`;
    },
  });
}

/** Beyond the standard, Cloudflare's runtime compares bytes in constant time. */
type WorkersCrypto = SubtleCrypto & { timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean };

/** Compares texts in a time that does not depend on where they differ. */
function isSameText(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  const isSameLength = one.byteLength === other.byteLength;
  // A text of another length is not compared in less time.
  return (crypto.subtle as WorkersCrypto).timingSafeEqual(isSameLength ? one : other, other) && isSameLength;
}

const advice = 'Name their folder under "assets" in wrangler.jsonc, with the binding ASSETS, and deploy again.';

/**
 * Answers a request for the inspector from the Worker's static assets. `inHost` is the sandbox that the host name selects: the
 * page then begins there.
 */
async function inspectorResponse(
  request: PageRequest,
  url: URL,
  assets: Fetcher | undefined,
  inHost: string | undefined,
): Promise<Response> {
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    // The assets are at their root, where index.html has the address of its folder.
    const found = await assets?.fetch(new Request(new URL(name === "index.html" ? "/" : `/${name}`, url)));
    return found?.ok ? new Uint8Array(await found.arrayBuffer()) : undefined;
  };
  const { status, headers, body } = await inspectorPage(request, { read, advice });
  const own = new Headers(headers);
  const location = own.get("Location");
  if (location !== null && inHost !== undefined) own.set("Location", `${location}#/${inHost}`);
  return new Response(request.method === "HEAD" ? null : (body as BodyInit), { status, headers: own });
}

/** A stream of a known length. The connection closes if fewer bytes are written. Only Cloudflare's runtime has it. */
declare const FixedLengthStream: new (length: number) => TransformStream<Uint8Array, Uint8Array>;

/** How often a response that never comes waits again: the runtime ends a request that waits for nothing. */
const hangStepMs = 60_000;

/**
 * Plays the transport fault of a response, as far as a Worker can. It cannot close a connection without a response: the client
 * then gets 502, as from a proxy whose server closed the connection.
 */
function withFault(response: Response): Response | Promise<Response> {
  const fault = transportOf(response);
  if (fault === undefined) return response;
  if (fault.kind === "truncate") return truncated(response, fault.bytes);
  return fault.kind === "hang" ? never() : closed(fault);
}

async function never(): Promise<never> {
  for (;;) await new Promise((resolve) => setTimeout(resolve, hangStepMs));
}

function closed({ kind }: TransportFault): Response {
  return new Response(`The fault ${kind} closes the connection here without a response.\n`, {
    status: 502,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

async function truncated(response: Response, bytes: number): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer());
  const { readable, writable } = new FixedLengthStream(whole.byteLength);
  const writer = writable.getWriter();
  // They settle when the client has read what there is, or has left.
  writer.write(whole.subarray(0, bytes)).catch(() => {});
  writer.close().catch(() => {});
  const headers = clientHeaders(response);
  // A proxy that compresses the body would end it properly.
  headers.set("Content-Encoding", "identity");
  headers.set("Cache-Control", "no-transform");
  return new Response(readable, { status: response.status, headers });
}
