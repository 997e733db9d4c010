import { createBackend, InputError, type Stub } from "@call-transfer/backend";
import type { Schema } from "@call-transfer/backend/control-client";
import { replacement } from "@call-transfer/backend/unstable";
import { stringify } from "yaml";

type Detail = Schema<"RequestDetail">;
type StubResponse = NonNullable<Stub["response"]>;

/** The text of a file for --stubs. */
export const stubsFile = (stubs: readonly Stub[]): string =>
  stringify({ stubs }, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();

/** One stub for all equal requests, with their answers in turn; and why others are left out. */
export function recordedStubs(details: readonly Detail[]): { recorded: Stub[]; leftOut: string[] } {
  const byRequest = new Map<string, { stub: Stub; responses: StubResponse[] }>();
  const leftOut = new Set<string>();
  for (const detail of details) {
    const { path, query = {}, status, headers, responseHeaders = {}, responseBody } = detail;
    const method = methods.find((one) => one === detail.method);
    if (method === undefined) {
      leftOut.add(`${detail.method} ${path}, because stubs have the methods ${methods.join(", ")}.`);
      continue;
    }
    const hasBody = Number(responseHeaders["content-length"] ?? 0) > 0;
    if (headers === undefined || (hasBody && responseBody === undefined)) {
      leftOut.add(`${method} ${path}, whose answer is not kept: it is too old, too long, or not text.`);
      continue;
    }
    const stub = requestOf({ method, path, query, isPublic: headers.authorization === undefined });
    const response: StubResponse = {
      ...(status !== 200 && { status }),
      ...headersOf(responseHeaders, typeof responseBody === "string"),
      ...(responseBody !== undefined && { body: responseBody }),
    };
    const problem = problemOf({ ...stub, response });
    if (problem !== undefined) {
      leftOut.add(`${method} ${path}: ${problem}`);
      continue;
    }
    const key = JSON.stringify([stub.method, stub.path, stub.match]);
    const { stub: known, responses } = byRequest.get(key) ?? { stub, responses: [] };
    const isRepeated = JSON.stringify(responses.at(-1)) === JSON.stringify(response);
    const isPublic = known.public === true || stub.public === true;
    const all = isRepeated ? responses : [...responses, response].slice(0, mostResponses);
    byRequest.set(key, { stub: { ...stub, ...(isPublic && { public: true }) }, responses: all });
  }
  const recorded = [...byRequest.values()].map(
    ({ stub, responses: [response = {}, ...others] }): Stub =>
      others.length === 0 ? { ...stub, response } : { ...stub, responses: [response, ...others] },
  );
  return { recorded, leftOut: [...leftOut] };
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** A stub has no more responses. */
const mostResponses = 100;

interface RecordedRequest extends Pick<Stub, "method" | "path"> {
  readonly query: Readonly<Record<string, string>>;
  readonly isPublic: boolean;
}

/** The stub of a request. A part that the journal hides becomes a parameter, or a pattern. */
function requestOf({ path, query, ...request }: RecordedRequest): Stub {
  let hidden = 0;
  const segments = path.split("/").map((segment) => {
    if (!segment.includes("*") && !segment.includes(replacement)) return segment;
    hidden += 1;
    return `{hidden${hidden}}`;
  });
  const shown = Object.entries(query).map(([name, value]) => [name, value.replaceAll(replacement, "*")]);
  return {
    method: request.method,
    path: segments.join("/"),
    ...(shown.length > 0 && { match: { query: Object.fromEntries(shown) } }),
    ...(request.isPublic && { public: true }),
  };
}

/** The headers that an answer is not the same without. */
function headersOf(all: Readonly<Record<string, string>>, isText: boolean): Pick<StubResponse, "headers"> {
  const names = ["location", "retry-after", "link", ...(isText ? ["content-type"] : [])];
  const kept = Object.entries(all).filter(([name]) => names.includes(name));
  return kept.length > 0 ? { headers: Object.fromEntries(kept) } : {};
}

/** Why --stubs would refuse a stub. */
function problemOf(stub: Stub): string | undefined {
  try {
    createBackend({ seed: {}, stubs: [stub] });
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.message;
  }
}
