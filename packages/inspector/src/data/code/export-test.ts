import type { Schema } from "@call-transfer/backend/control-client";
import { operations } from "@call-transfer/spec";
import { type ApiRequest, hasApiKey, literal, sdkCallOf } from "./request-code.ts";

type Detail = Schema<"RequestDetail">;
type Rehearsed = Schema<"Rehearsal">["responses"][number];

/** What a test is written from: everything in clear. */
export interface TestSource {
  readonly detail: Detail;
  readonly request: ApiRequest;
  /** The sandbox as the request found it. */
  readonly snapshot: Readonly<Record<string, unknown>>;
  /** What two copies of that sandbox respond. */
  readonly responses: readonly Rehearsed[];
}

/** A file for Vitest that passes, or a sentence that says why the request cannot become a test. */
export type ExportedTest = { readonly text: string } | { readonly problem: string };

/** Why a request cannot become a test, as far as the request itself shows it; undefined otherwise. */
export function testProblem(detail: Detail): string | undefined {
  const { operationId, status, code, decidedBy, fault, headers, requestBody, faultAction } = detail;
  if (headers === undefined) return "Headers and body of the request are no longer kept.";
  if (decidedBy.step === "gate") return "The backend did not answer the request.";
  const operation = Object.entries(operations).find(([id]) => id === operationId)?.[1];
  if (operation === undefined) return "No operation matches the request, so the SDK cannot send it.";
  if (status === 0) return `There was no response to expect${fault === undefined ? "" : `: ${fault} withheld it`}.`;
  if (typeof faultAction === "string" && faultAction !== "unknownEnum")
    return `${fault} damaged the response on its way, so the SDK has no result to compare.`;
  if (status < 400 && typeof faultAction === "object" && faultAction !== null) {
    const isUsual = status < 300 && typeof detail.responseBody === "object" && operation.retry !== "once";
    if (!isUsual) return `${fault} made up the response, and the SDK may not accept it.`;
  }
  const { authorization = "" } = headers;
  if (!/^Bearer [!-~]+$/i.test(authorization)) return "The SDK always sends a bearer credential.";
  // A check before that of the body decides about any body.
  const isBodyRead = decidedBy.step === "body" || decidedBy.step === "operation";
  if (operation.hasBody && isBodyRead && requestBody === undefined) return "The SDK always sends a body of JSON.";
  if (code === "api_key_ip_restricted") return "The response depends on the address of the client.";
  return undefined;
}

/** The name of the file, such as `create-call-12.test.ts`. */
export function testFileName({ id, operationId = "request" }: Pick<Detail, "id" | "operationId">): string {
  return `${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${id}.test.ts`;
}

/**
 * A file for Vitest: the state before the request, the call of the SDK, and its expected result. What the backend makes, such
 * as an id, is expected as any text. There is none if the copies of the sandbox respond otherwise than the sandbox did.
 */
export function testOf(source: TestSource): ExportedTest {
  const { detail, request, snapshot, responses } = source;
  const [first = { status: 0 }, second = first] = responses;
  const was = outcome(detail);
  if (outcome(first) !== was)
    return { problem: `Sent again to the state that it found, the request returns ${outcome(first)} and not ${was}.` };
  const isSuccess = detail.status < 400;
  const body = isSuccess ? expectedBody(detail.responseBody, first.body, second.body) : { value: undefined };
  if ("path" in body)
    return { problem: `Sent again to the state that it found, the request returns another ${body.path || "body"}.` };
  return { text: withInventedNumbers(fileOf(detail, request, startOf(snapshot), body.value)) };
}

function outcome({ status, code }: Pick<Rehearsed, "status" | "code">): string {
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** The state that the test begins with: the clock stands still, and no app gets an offer again. */
function startOf(snapshot: TestSource["snapshot"]): TestSource["snapshot"] {
  const timers = Array.isArray(snapshot.timers) ? snapshot.timers : [];
  const isOfCall = ({ kind }: { readonly kind: string }) => !kind.startsWith("transfer.");
  return { ...snapshot, mode: "frozen", transfers: [], timers: timers.filter(isOfCall) };
}

/**
 * Replaces each phone number by an invented one, everywhere by the same: such a file is often committed. The first four digits
 * and the last two stay.
 */
function withInventedNumbers(text: string): string {
  const invented = new Map<string, string>();
  return text.replace(/\+[1-9]\d{6,14}(?!\d)/g, (number) => {
    const shown = Math.min(5, number.length - 6);
    const middle = `${invented.size}`.padStart(number.length - shown - 2, "0");
    const known = invented.get(number) ?? `${number.slice(0, shown)}${middle}${number.slice(-2)}`;
    invented.set(number, known);
    return known;
  });
}

function fileOf(detail: Detail, request: ApiRequest, start: TestSource["snapshot"], body: unknown): string {
  const { operationId = "", status, code, faultAction } = detail;
  const fault = { match: { operationId }, do: faultAction };
  const title = `${operationId} returns ${outcome({ status, ...(code !== undefined && { code }) })}`;
  const options = [
    `baseUrl: "http://localhost"`,
    ...credentialOf(request, detail),
    "fetch: backend.fetch",
    "retry: { max: 0 }",
  ];
  return `// Run it with Vitest: npm install --save-dev vitest @call-transfer/backend @call-transfer/sdk
// The snapshot at the end holds the keys and secrets of the sandbox.
import { createBackend } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { expect, test } from "vitest";

test(${JSON.stringify(title)}, async () => {
  const backend = createBackend();
  backend.restore(snapshot);
${faultAction === undefined ? "" : `  backend.faults.add(${literal(fault, "  ")});\n`}  const client = new CallTransfer({
${options.map((option) => `    ${option},`).join("\n")}
  });

  const result = await ${sdkCallOf(request, "  ") ?? ""}.result();

  expect(result).toMatchObject(${expectation(detail, body)});
});

const snapshot = ${literal(start)};
`;
}

function credentialOf(request: ApiRequest, { caller, decidedBy }: Detail): string[] {
  const [, bearer = ""] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const account = request.headers["x-account-id"];
  const accountId = account === undefined ? [] : [`accountId: ${JSON.stringify(account)}`];
  if (hasApiKey(request)) return [`apiKey: ${JSON.stringify(bearer)}`, ...accountId];
  // Another token would have a rate-limit window of its own.
  const isSame = caller?.userId === undefined || decidedBy.step === "rateLimit";
  const token = isSame
    ? JSON.stringify(bearer)
    : `await backend.keys.issueToken({ userId: ${JSON.stringify(caller.userId)} })`;
  return [`accessToken: ${token}`, ...accountId];
}

function expectation({ status, code, operationId }: Detail, body: unknown): string {
  if (status >= 400) {
    const error = { status, ...(code !== undefined && { code }) };
    return literal({ ok: false, error: isOutcomeUnknown(operationId, status) ? { cause: error } : error }, "  ");
  }
  const text = literal({ ok: true, ...(body !== undefined && { data: body }), response: { status } }, "  ");
  return text
    .replaceAll(JSON.stringify(madeText), "expect.any(String)")
    .replaceAll(JSON.stringify(madeNumber), "expect.any(Number)");
}

/** Whether a request may have been carried out: then the SDK throws OutcomeUnknownError, and the response is its cause (§8.3). */
function isOutcomeUnknown(id: string | undefined, status: number): boolean {
  const retry = Object.entries(operations).find(([name]) => name === id)?.[1].retry;
  return retry === "once" && (status >= 500 || status === 408);
}

const [madeText, madeNumber] = ["\u0000text", "\u0000number"];

/** A recorded body with marks for what the backend made, which differs between two responses; or the path of another difference. */
function expectedBody(
  recorded: unknown,
  first: unknown,
  second: unknown,
  path = "",
): { readonly value: unknown } | { readonly path: string } {
  if (typeof recorded !== typeof first || Array.isArray(recorded) !== Array.isArray(first)) return { path };
  if (typeof recorded !== "object" || recorded === null || first === null) {
    const isMade = typeof first === typeof second && first !== second;
    if (isMade && typeof recorded === "string") return { value: madeText };
    if (isMade && typeof recorded === "number") return { value: madeNumber };
    return recorded === first ? { value: recorded } : { path };
  }
  const names = new Set([...Object.keys(recorded), ...Object.keys(Object(first))]);
  const fields: [string, unknown][] = [];
  for (const name of names) {
    const [own, one, other] = [recorded, first, second].map((body) => Reflect.get(Object(body), name));
    const field = expectedBody(own, one, other, path === "" ? name : `${path}.${name}`);
    if ("path" in field) return field;
    fields.push([name, field.value]);
  }
  return { value: Array.isArray(recorded) ? fields.map(([, value]) => value) : Object.fromEntries(fields) };
}
