import type { Schema } from "../../control/client.ts";
import { type ApiRequest, hasApiKey, literal, sdkCallOf } from "./request-code.ts";

type Detail = Schema<"RequestDetail">;
type Snapshot = Readonly<Record<string, unknown>>;

/** What a test is written from: everything in clear. */
export interface TestSource {
  readonly detail: Detail;
  readonly request: ApiRequest;
  /** The sandbox as it is now. */
  readonly snapshot: Snapshot;
  /** The details of the later requests whose changes are taken back, latest first. */
  readonly later: readonly Detail[];
}

/** Why a request cannot become a test; undefined if it can. */
export function testProblem({ operationId, status, code, decidedBy, fault, headers }: Detail): string | undefined {
  if (headers === undefined) return "Headers and body of the request are no longer kept.";
  if (operationId === undefined) return "No operation matches the request, so the SDK cannot send it.";
  if (decidedBy.step === "gate" || decidedBy.step === "proxy") return "The backend did not answer the request.";
  if (status === 0) return `There was no response to expect${fault === undefined ? "" : `: ${fault} withheld it`}.`;
  if (!/^Bearer /i.test(headers.authorization ?? "")) return "The SDK always sends a bearer credential.";
  if (code === "api_key_ip_restricted") return "The response depends on the address of the client.";
  return undefined;
}

/** The name of the file, such as `create-call-12.test.ts`. */
export function testFileName({ id, operationId = "request" }: Pick<Detail, "id" | "operationId">): string {
  return `${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${id}.test.ts`;
}

/**
 * A file for Vitest: the state before the request, the call of the SDK, and its expected result. Values that the backend
 * makes, such as an id, are expected as any text.
 */
export function testOf({ detail, request, snapshot, later }: TestSource): string {
  const { operationId = "", status, code, at, caller } = detail;
  const start = rewound(snapshot, [...later, detail], detail);
  const title = `${operationId} returns ${status}${code === undefined ? "" : ` ${code}`}`;
  const options = [
    `baseUrl: "http://localhost"`,
    ...credentialOf(request, caller),
    "fetch: backend.fetch",
    "maxRetries: 0",
  ];
  return `// Run it with Vitest: npm install --save-dev vitest @call-transfer/backend @call-transfer/sdk
// The snapshot at the end holds the keys and secrets of the sandbox.
import { createBackend } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { expect, test } from "vitest";

test(${JSON.stringify(title)}, async () => {
  const backend = createBackend();
  backend.restore(snapshot);
${faultOf(detail)}  const client = new CallTransfer({
${options.map((option) => `    ${option},`).join("\n")}
  });

  const result = await ${sdkCallOf(request, "  ") ?? ""}.result();

  ${expectationOf(detail, JSON.stringify(start), at)}
});

const snapshot = ${literal(start)};
`;
}

function credentialOf(request: ApiRequest, caller: Detail["caller"]): string[] {
  const [, bearer = ""] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const account = request.headers["x-account-id"];
  if (hasApiKey(request)) return [`apiKey: ${JSON.stringify(bearer)}`];
  const token =
    caller?.userId === undefined
      ? JSON.stringify(bearer)
      : `await backend.keys.issueToken({ userId: ${JSON.stringify(caller.userId)} })`;
  return [`accessToken: ${token}`, ...(account === undefined ? [] : [`accountId: ${JSON.stringify(account)}`])];
}

/** Adds the fault again that decided the response. */
function faultOf({ decidedBy, operationId, status, code, responseBody }: Detail): string {
  if (decidedBy.step !== "fault") return "";
  const action = code === undefined ? { status, ...(responseBody !== undefined && { body: responseBody }) } : { code };
  return `  backend.faults.add(${literal({ match: { operationId }, do: action }, "  ")});\n`;
}

function expectationOf({ status, code, responseBody }: Detail, known: string, at: string): string {
  if (status >= 400) {
    const expected = { ok: false, error: { status, ...(code !== undefined && { code }) } };
    return `expect(result).toMatchObject(${literal(expected, "  ")});`;
  }
  const body = responseBody === undefined ? "" : `data: ${expected(responseBody, known, at, "    ")}, `;
  return `expect(result).toMatchObject({ ok: true, ${body}response: { status: ${status} } });`;
}

/** A JSON value as an expectation. What the start does not contain is made by the backend, and another one each time. */
function expected(value: unknown, known: string, at: string, indent: string): string {
  const generated = "\u0000generated";
  const marked = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(marked);
    if (typeof inner === "string") return isKnown(inner, known, at) ? inner : generated;
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, marked(field)]));
  };
  return literal(marked(value), indent).replaceAll(JSON.stringify(generated), "expect.any(String)");
}

/** Whether a text of a response will be the same again: words and names are, ids, times and secrets only if they were there. */
function isKnown(text: string, known: string, at: string): boolean {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text))
    return text !== at && (known.includes(text) || known.includes(String(Date.parse(text))));
  const isMade = /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(text) || /^(?=.*\d)[\w-]{4,}$/.test(text);
  return !isMade || known.includes(JSON.stringify(text).slice(1, -1));
}

/** The snapshot as it was before a request: with the changes of the requests taken back, latest first. */
function rewound(snapshot: Snapshot, requests: readonly Detail[], { at, status }: Detail): Snapshot {
  const seed = { ...Object(snapshot.seed) } as Record<string, readonly Record<string, unknown>[]>;
  const set = new Set<string>();
  for (const { changes = [], timers = [] } of requests) {
    for (const timer of timers) set.add(`${timer.kind} ${timer.id}`);
    for (const { collection, id, before } of changes.toReversed()) {
      const records = seed[collection] ?? [];
      const index = records.findIndex((record) => record.id === id);
      if (index >= 0) seed[collection] = before ? records.with(index, before) : records.toSpliced(index, 1);
      else if (before !== undefined) seed[collection] = [...records, before];
    }
  }
  const timers = (Array.isArray(snapshot.timers) ? snapshot.timers : []).filter(
    ({ kind, id }: { kind: string; id: string }) => !set.has(`${kind} ${id}`),
  );
  return {
    ...snapshot,
    now: Date.parse(at),
    mode: "frozen",
    seed,
    timers,
    // Counts of the rate limit go on, except in a test of it.
    windows: status === 429 ? snapshot.windows : [],
    // The fault that decided is added again by name.
    faults: { last: 0, waiting: [] },
  };
}
