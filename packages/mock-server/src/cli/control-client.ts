import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./control-types.gen.ts";

/** Where a control plane is, and what it asks for. */
export interface ControlAddress {
  /** Base address of the server, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The sandbox to act on; `default` by default. */
  readonly sandbox?: string | undefined;
  /** The token that a server prints when other machines can reach it. */
  readonly token?: string | undefined;
}

/** A typed client of a mock server's control plane. */
export type ControlClient = Client<paths>;

/** Creates a client of a mock server's control plane, typed by its OpenAPI document. */
export function createControlClient({ url, sandbox, token }: ControlAddress): ControlClient {
  return createClient<paths>({
    baseUrl: url,
    headers: {
      ...(sandbox !== undefined && { "X-Sandbox": sandbox }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  });
}

/** The data of an answer. Throws an Error with the control plane's own message when it refused. */
export function dataOf<Answer extends { readonly data?: unknown; readonly error?: unknown }>(
  answer: Answer,
): Exclude<Answer["data"], undefined> {
  if (answer.error !== undefined) throw new Error(messageOf(answer.error));
  return answer.data as Exclude<Answer["data"], undefined>;
}

/** What an answer of the control plane, or of the gate before it, says is wrong. */
export function messageOf(error: unknown): string {
  const { error: inner, detail } = Object(error) as { error?: { message?: unknown }; detail?: unknown };
  return String(inner?.message ?? detail ?? "What answers is no mock server; see --url.");
}
