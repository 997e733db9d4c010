import { type OperationId, operations } from "@call-transfer/spec";
import { operationIds } from "../src/document/document.ts";
import { fieldsOf } from "../src/document/fields.ts";
import type { CaseName } from "../src/suite/target.ts";

/** Cases that are expected to fail on a target with Prism, and why. Each of them must still fail. */
interface Deviation {
  readonly resource: string;
  /** The names of the cases. */
  readonly names: RegExp;
  /** The operations concerned, by what the contract says of them; all without it. */
  readonly of?: (operation: OperationId) => boolean;
  readonly reason: string;
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
  { resource: "errors", names: / with malformed JSON /, reason: malformedJson },
  {
    resource: "errors",
    names: / with (?:an empty body|another content type|JSON sent as text\/plain|a body over 1 MiB) /,
    reason: "Prism returns the same example for every invalid body: the first of the statuses 415, 422 and 400",
  },
  {
    resource: "errors",
    names: / with another method |^an unknown path /,
    reason: "for unknown paths and methods Prism returns its own error body",
  },
  { resource: "errors", names: /differs for each request$/, reason: "every response has the example X-Request-Id" },
  {
    resource: "invalid input",
    names: / rejects \w+ \(path\): id, /,
    reason: "the OpenAPI document does not define the form of ids (A-6)",
  },
  {
    resource: "invalid input",
    names: / rejects \S+ \(query\): .*""$/,
    reason: "Prism treats a parameter without a value as absent",
  },
  {
    resource: "invalid input",
    names: leavesOutDefault,
    reason: "Prism returns the same example for every page",
  },
  {
    resource: "invalid input",
    names: / rejects /,
    of: documents(422),
    reason: "Prism prefers a documented 422 to the 400",
  },
  {
    resource: "invalid input",
    names: / rejects (?!\(body\)|name: required|name: null)/,
    reason: "the response is an example, which names other fields",
  },
  { resource: "roles", names: /holds every built-in role/, reason: "the example has only two of the roles" },
];

/** Where Prism as a proxy changes the result of the mock server. */
const proxy: readonly Deviation[] = [
  { resource: "errors", names: / with malformed JSON /, reason: malformedJson },
  { resource: "check order", names: /malformed JSON/, reason: malformedJson },
  {
    resource: "broken responses",
    names: / after (?:truncate|slow_body) .* fails with outcome applied$/,
    reason:
      "Prism forwards complete responses only, so the client cannot know from a part that the request was applied",
  },
];

/** Cases with a fault that violates the OpenAPI document, so Prism must report a violation. */
const broken: readonly Deviation[] = [
  {
    resource: "errors",
    names: /^an error that is not JSON /,
    reason: "the response is a proxy's page, which is not documented",
  },
  { resource: "retries", names: / after a 408 without a body /, reason: "a proxy's 408 has no body" },
  { resource: "retries", names: / after a proxy's 502 /, reason: "a proxy's page is not JSON" },
  {
    resource: "broken responses",
    names: / after wrong_content_type /,
    of: hasResponseBody,
    reason: "a success has the content type HTML",
  },
];

/** Cases with requests that Prism never responds to, so that the target does not wait for it. */
const unanswered: readonly Deviation[] = [
  { resource: "errors", names: / with malformed JSON /, reason: malformedJson },
  { resource: "check order", names: /malformed JSON/, reason: malformedJson },
  {
    resource: "broken responses",
    names: / after truncate /,
    reason: "Prism never responds when a forwarded body is truncated",
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
export const reasonFor = (list: keyof typeof deviations, { resource, name }: CaseName): string | undefined =>
  deviations[list].find(
    (deviation) => deviation.resource === resource && deviation.names.test(name) && concerns(deviation, name),
  )?.reason;

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
