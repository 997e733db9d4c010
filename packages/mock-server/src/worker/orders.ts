import { InputError } from "@call-transfer/backend";
import type { TransportFault } from "@call-transfer/backend/unstable";
import type { Fetcher } from "./platform.ts";

/** What an object of this Worker is asked to do about a sandbox. */
export type OrderKind =
  /** Of a sandbox: respond to a request. */
  | "respond"
  /** Of a sandbox: begin to exist, with the options in the body. */
  | "create"
  /** Of a sandbox: say what the list of sandboxes shows. */
  | "describe"
  /** Of a sandbox: delete everything. */
  | "delete"
  /** Of the directory: respond to a request that lists, creates or deletes sandboxes. */
  | "manage"
  /** Of the directory: say why there is no sandbox of this name. */
  | "explain"
  /** Of the directory: remove a name whose sandbox is gone. */
  | "check";

// Only this Worker reaches its objects. It sets the header on each request to them, so that it never comes from a client.
const orderHeader = "x-mock-order";
const transportHeader = "x-mock-transport";
const unknownHeader = "x-mock-unknown";

export interface OrderRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

/** Sends an order about a sandbox to an object, by default with no request of a client. */
export function sendOrder(
  target: Fetcher,
  kind: OrderKind,
  name: string,
  request: Partial<OrderRequest> = {},
): Promise<Response> {
  const { url = "https://object.invalid/", method = "POST", body = null } = request;
  const headers = new Headers(request.headers);
  headers.set(orderHeader, `${kind} ${encodeURIComponent(name)}`);
  return target.fetch(new Request(url, { method, headers, body, redirect: "manual" }));
}

/** Reads an order, and the headers without it. */
export function readOrder(request: Request): { kind: OrderKind; name: string; headers: Headers } {
  const headers = new Headers(request.headers);
  const [kind, name = ""] = (headers.get(orderHeader) ?? "").split(" ");
  headers.delete(orderHeader);
  return { kind: kind as OrderKind, name: decodeURIComponent(name), headers };
}

/** The answer of an object that cannot follow an order because of its input. */
export function refusedOrder({ field, explanation }: InputError): Response {
  return Response.json({ field, explanation }, { status: 400 });
}

/** Throws the InputError of a refused order, and an Error for one that failed. */
export async function checkOrder(response: Response): Promise<void> {
  if (response.ok) return;
  if (response.status !== 400) throw new Error(((await response.json()) as { readonly detail: string }).detail);
  const { field, explanation } = (await response.json()) as Pick<InputError, "field" | "explanation">;
  throw new InputError(field, explanation);
}

/** The answer of an object whose sandbox does not exist. */
export function unknownSandboxResponse(): Response {
  return new Response(null, { status: 404, headers: { [unknownHeader]: "true" } });
}

export function isUnknownSandbox({ headers }: Response): boolean {
  return headers.has(unknownHeader);
}

/** Adds the transport fault that the front has to play. */
export function withTransport(response: Response, fault: TransportFault): Response {
  const headers = new Headers(response.headers);
  headers.set(transportHeader, JSON.stringify(fault));
  return new Response(response.body, { status: response.status, headers });
}

/** The transport fault to play on a response; undefined for none. */
export function transportOf({ headers }: Response): TransportFault | undefined {
  const fault = headers.get(transportHeader);
  return fault === null ? undefined : (JSON.parse(fault) as TransportFault);
}

export function clientHeaders(response: Response): Headers {
  const headers = new Headers(response.headers);
  headers.delete(transportHeader);
  return headers;
}
