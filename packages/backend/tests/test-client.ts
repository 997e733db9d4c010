import { limits } from "@call-transfer/spec";
import type { Backend } from "../src/backend.ts";
import { demo } from "../src/data/demo-seed.ts";
import { groupDefaults } from "../src/model/records.ts";

/** Seconds for which a destination rings where nothing is said. */
export const ringSecs = groupDefaults.totalTimeoutSecs;
/** When such a ring ends that begins with a frozen clock. */
export const ringEnd = new Date(Date.parse("2026-03-02T12:00:00Z") + ringSecs * 1000).toISOString();
/** Milliseconds for which the previous secret signs too after a rotation. */
export const overlapMs = limits.previousSecretOverlapHours * 3_600_000;
/** When that ends for a rotation at the start of a frozen clock. */
export const overlapEnd = new Date(Date.parse("2026-03-02T12:00:00Z") + overlapMs).toISOString();

export interface TestRequest {
  /** The bearer token, null for none; the main account's key by default. */
  readonly token?: string | null;
  /** Sent as JSON unless it is a text already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request as tests do, and reads the answer. `target` is `METHOD /path` below `/api/v1`. */
export async function send(backend: Backend, target: string, request: TestRequest = {}): Promise<TestAnswer> {
  const [method = "GET", path = "/"] = target.split(" ");
  const { token = demo.apiKey, body, address } = request;
  const headers = new Headers(body === undefined ? {} : { "content-type": "application/json" });
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const init = { method, headers, ...(text !== undefined && { body: text }) };
  const response = await backend.fetch(
    `http://mock.test/api/v1${path}`,
    init,
    address === undefined ? {} : { address },
  );
  const answer = await response.text();
  return { status: response.status, headers: response.headers, body: answer === "" ? undefined : JSON.parse(answer) };
}

/** Sends a request to the control plane. `target` is `METHOD /path` below `/_control/v1`. */
export async function control(
  backend: Pick<Backend, "fetch">,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const [method = "GET", path = ""] = target.split(" ");
  const response = await backend.fetch(`http://mock.test/_control/v1${path}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** The code of an error answer. */
export function codeOf({ body }: TestAnswer): unknown {
  return typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
}
