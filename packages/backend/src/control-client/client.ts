import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "../generated/types.gen.ts";

/** The address of a control plane and its credentials. */
export interface ControlAddress {
  /** Base URL of the server, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The sandbox to act on; `default` by default. */
  readonly sandbox?: string | undefined;
  /** The control token, which a server prints when other machines can reach it. */
  readonly token?: string | undefined;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** A client of a mock server's control plane, typed by its OpenAPI document. */
export type ControlClient = Client<paths>;

/** Creates a {@link ControlClient}. */
export function createControlClient({ url, sandbox, token, fetch }: ControlAddress): ControlClient {
  return createClient<paths>({
    baseUrl: url,
    ...(fetch !== undefined && { fetch }),
    headers: {
      ...(sandbox !== undefined && { "X-Sandbox": sandbox }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  });
}

/** Headers for creating or deleting a sandbox. A proxy in front of several servers routes by its name. */
export function headersOf(sandbox: string): { readonly "X-Sandbox": string } {
  // The server says what is wrong with a name that a header cannot contain.
  return { "X-Sandbox": encodeURIComponent(sandbox) };
}

/** The data of a response. Throws an Error with the control plane's message for an error response. */
export function dataOf<Result extends { readonly data?: unknown; readonly error?: unknown }>(
  result: Result,
): Exclude<Result["data"], undefined> {
  if (result.error !== undefined) throw new Error(messageOf(result.error));
  return result.data as Exclude<Result["data"], undefined>;
}

/** A schema of the control plane's document by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/**
 * The data of a response as its schema in the document: openapi-fetch's types drop read-only arrays. Throws an Error with the
 * control plane's message for an error response.
 */
export function dataAs<Name extends keyof components["schemas"]>(result: {
  readonly data?: unknown;
  readonly error?: unknown;
}): Schema<Name> {
  return dataOf(result) as Schema<Name>;
}

/** The message of an error response of the control plane, or of the gate in front of it. */
export function messageOf(error: unknown): string {
  const { error: inner, detail } = Object(error) as { error?: { message?: unknown }; detail?: unknown };
  return String(inner?.message ?? detail ?? "The server is not a mock server. Check --url.");
}
