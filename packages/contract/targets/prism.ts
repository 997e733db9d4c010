// The OpenAPI document served by Prism: tests its schemas and examples without our code.
import { startPrismServer } from "@call-transfer/mock-server";
import { type OperationId, operations } from "@call-transfer/spec";
import { operationIds } from "../src/document/document.ts";
import { fieldsOf } from "../src/document/fields.ts";
import { runCase } from "../src/suite/run.ts";
import type { CaseName, Target } from "../src/suite/target.ts";
import type { TargetRunner } from "./runner.ts";

const noHandle = "Prism has no control plane";
const cannot: Target["unsupported"] = {
  state: "answers are examples of the document, whatever was sent before",
  authentication: "any bearer token is as good as another",
  clock: noHandle,
  faults: noHandle,
  policies: noHandle,
  webhooks: noHandle,
  transfers: noHandle,
};

/** Cases that are expected to fail, and why. Each of them must still fail. */
interface Deviation {
  readonly resource: string;
  /** The names of the cases. */
  readonly names: RegExp;
  /** The operations concerned, by what the contract says of them; all without it. */
  readonly of?: (operation: OperationId) => boolean;
  readonly reason: string;
}

const documents422 = (operation: OperationId): boolean =>
  operations[operation].statuses.some((documented) => documented === 422);

/** Names of the cases that leave out a query parameter with a default. */
const leavesOutDefault = new RegExp(
  `^(?:${operationIds
    .flatMap((operation) => fieldsOf(operation).map((field) => ({ operation, field })))
    .filter(({ field }) => field.where === "query" && field.schema.default !== undefined)
    .map(({ operation, field }) => `${operation} accepts ${field.steps.join(".")} \\(query\\): `)
    .join("|")}).*missing$`,
);

/** Cases with requests that Prism never responds to. */
const unanswered: Deviation = {
  resource: "errors",
  names: / with malformed JSON /,
  reason: "Prism never responds to a malformed JSON body",
};

/** Where Prism differs from the platform. The first match is the reason. */
export const deviations: readonly Deviation[] = [
  unanswered,
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
    of: documents422,
    reason: "Prism prefers a documented 422 to the 400",
  },
  {
    resource: "invalid input",
    names: / rejects (?!\(body\)|name: required|name: null)/,
    reason: "the response is an example, which names other fields",
  },
  { resource: "roles", names: /holds every built-in role/, reason: "the example has only two of the roles" },
];

/** Whether a case is among those of a deviation. */
function isCaseOf({ resource, names, of: concerns }: Deviation, contractCase: CaseName): boolean {
  if (resource !== contractCase.resource || !names.test(contractCase.name)) return false;
  const operation = operationIds.find((id) => contractCase.name.startsWith(`${id} `));
  return concerns === undefined || (operation !== undefined && concerns(operation));
}

const answerWithinMs = 300_000;
const notAnsweredWithinMs = 300;

/** The global fetch, with a short timeout for cases that Prism never responds to. */
function patientFetch(contractCase: CaseName): typeof globalThis.fetch {
  const withinMs = isCaseOf(unanswered, contractCase) ? notAnsweredWithinMs : answerWithinMs;
  return (input, init) => {
    const request = new Request(input, init);
    return fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)]) });
  };
}

export const prism: TargetRunner = {
  name: "prism",
  async run(cases, onRun) {
    const server = await startPrismServer({ port: 0 });
    try {
      for (const contractCase of cases) {
        const target: Target = {
          name: "prism",
          baseUrl: server.url,
          fetch: patientFetch(contractCase),
          unsupported: cannot,
          knownDeviation: (asked) => deviations.find((deviation) => isCaseOf(deviation, asked))?.reason,
          credentialsFor: async ({ accountId }) => ({
            accessToken: "any",
            ...(accountId !== undefined && { accountId }),
          }),
          seed: async () => {},
        };
        onRun(await runCase(contractCase, target));
      }
    } finally {
      await server.close();
    }
  },
};
