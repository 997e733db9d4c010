import { type OperationId, operations } from "@call-transfer/spec";
import { operationIds } from "../src/document/document.ts";
import { fieldsOf } from "../src/document/fields.ts";
import type { CaseName } from "../src/suite/target.ts";

/** Cases that are expected to fail on a target with Prism, and why. Each of them must still fail. */
interface Deviation {
  readonly noun: string;
  /** The names of the cases. */
  readonly names: RegExp;
  /** The operations concerned, by what the contract says of them; all without it. */
  readonly of?: (operation: OperationId) => boolean;
  readonly why: string;
}

const documents =
  (status: number) =>
  (operation: OperationId): boolean =>
    operations[operation].statuses.some((documented) => documented === status);

const hasResponseBody = (operation: OperationId): boolean =>
  operations[operation].successes.some(({ example }) => example !== null);

/** Names of the cases that leave out a query parameter with a default. */
const leavesOutDefault = new RegExp(
  `^(?:${operationIds
    .flatMap((operation) => fieldsOf(operation).map((field) => ({ operation, field })))
    .filter(({ field }) => field.where === "query" && field.schema.default !== undefined)
    .map(({ operation, field }) => `${operation} accepts ${field.steps.join(".")} \\(query\\): `)
    .join("|")}).*missing$`,
);

const malformedJson = "Prism never responds to a malformed JSON body";

/** Where Prism as a mock differs from the platform. The first match is the reason. */
const mock: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: malformedJson },
  {
    noun: "errors",
    names: / with (?:an empty body|another content type|JSON sent as text\/plain|a body over 1 MiB) /,
    why: "Prism returns the same example for every invalid body: the first of the statuses 415, 422 and 400",
  },
  {
    noun: "errors",
    names: / with another method |^an unknown path /,
    why: "for unknown paths and methods Prism returns its own error body",
  },
  { noun: "errors", names: /differs for each request$/, why: "every response has the example X-Request-Id" },
  {
    noun: "invalid input",
    names: / rejects \w+ \(path\): id, /,
    why: "the OpenAPI document does not define the form of ids (A-6)",
  },
  {
    noun: "invalid input",
    names: / rejects \S+ \(query\): .*""$/,
    why: "Prism treats a parameter without a value as absent",
  },
  {
    noun: "invalid input",
    names: leavesOutDefault,
    why: "Prism returns the same example for every page",
  },
  {
    noun: "invalid input",
    names: / rejects /,
    of: documents(422),
    why: "Prism prefers a documented 422 to the 400",
  },
  {
    noun: "invalid input",
    names: / rejects (?!\(body\)|name: required|name: null)/,
    why: "the response is an example, which names other fields",
  },
  { noun: "roles", names: /holds every built-in role/, why: "the example has only two of the roles" },
];

/** Where Prism as a proxy changes the result of the mock server. */
const proxy: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: malformedJson },
  { noun: "check order", names: /malformed JSON/, why: malformedJson },
  {
    noun: "broken responses",
    names: / after (?:truncate|slowBody) .* fails with outcome applied$/,
    why: "Prism forwards complete responses only, so the client cannot know from a part that the request was applied",
  },
];

/** Cases with a fault that violates the OpenAPI document, so Prism must report a violation. */
const broken: readonly Deviation[] = [
  {
    noun: "errors",
    names: /^an error that is not JSON /,
    why: "the response is a proxy's page, which is not documented",
  },
  { noun: "retries", names: / after a 408 without a body /, why: "a proxy's 408 has no body" },
  { noun: "retries", names: / after a proxy's 502 /, why: "a proxy's page is not JSON" },
  {
    noun: "broken responses",
    names: / after wrongContentType /,
    of: hasResponseBody,
    why: "a success has the content type HTML",
  },
];

/** Cases with requests that Prism never responds to, so that the target does not wait for it. */
const unanswered: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: malformedJson },
  { noun: "check order", names: /malformed JSON/, why: malformedJson },
  {
    noun: "broken responses",
    names: / after truncate /,
    why: "Prism never responds when a forwarded body is truncated",
  },
];

/** Deviations by target, cases with intended violations, and cases without a response. */
export const deviations = { prism: mock, "prism-proxy": proxy, broken, unanswered };

/** Whether the operation that a case begins with is one of the deviation's. */
function concerns({ of: isConcerned }: Deviation, name: string): boolean {
  const operation = operationIds.find((id) => name.startsWith(`${id} `));
  return isConcerned === undefined || (operation !== undefined && isConcerned(operation));
}

/** The reason of the first entry that matches a case; undefined without a match. */
export const reasonFor = (list: keyof typeof deviations, { noun, name }: CaseName): string | undefined =>
  deviations[list].find(
    (deviation) => deviation.noun === noun && deviation.names.test(name) && concerns(deviation, name),
  )?.why;

const answerWithinMs = 300_000;
const notAnsweredWithinMs = 300;

/** The global fetch, with a short timeout for cases that Prism never responds to. */
export function patientFetch(contractCase: CaseName): typeof globalThis.fetch {
  const withinMs = reasonFor("unanswered", contractCase) === undefined ? answerWithinMs : notAnsweredWithinMs;
  return (input, init) => {
    const request = new Request(input, init);
    return fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)]) });
  };
}
