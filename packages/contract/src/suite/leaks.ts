import { type OperationId, operations } from "@call-transfer/spec";
import { shownBy } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import { accounts } from "../world/names.ts";
import type { Seed } from "../world/seed.ts";
import { world } from "../world/world.ts";

/** A response, and the request that it answers. */
export interface CheckedResponse {
  readonly operation: OperationId | undefined;
  /** The account of the request; undefined if it names none. */
  readonly accountId: string | undefined;
  /** The request's address and body. */
  readonly sent: string;
  readonly text: string;
  /** The body as JSON; undefined unless it is JSON. */
  readonly body: unknown;
}

/** Finds what a response must not contain: secrets of which only some operations tell, and data of other accounts. */
export interface LeakCheck {
  /** Adds the secrets of a seed. */
  addSeed(seed: Seed): void;
  /** The violations of a response. Adds the secrets in it. */
  violationsOf(response: CheckedResponse): string[];
}

/** Shorter texts are words that may stand in any response. */
const shortestValue = 12;

/** The values other than null of the marked fields in a JSON value, at any depth. */
function* markedIn(node: unknown): Generator<readonly [field: string, value: unknown]> {
  if (!isObject(node)) return;
  for (const [name, value] of Object.entries(node)) {
    if (shownBy.has(name) && value !== null) yield [name, value];
    yield* markedIn(value);
  }
}

const idsNamesAndSecrets = new Set(["id", "name", "number", "signingSecret"]);

/** The ids, names, numbers and secrets by which an account of the initial state differs from all others. */
function ownValues(): Map<string, readonly string[]> {
  const byAccount = new Map<string, Set<string>>();
  const owners = new Map<string, Set<string>>();
  const records = Object.entries(world).flatMap(([collection, list]: [string, readonly object[]]) =>
    list.map((record) => ({ owner: Reflect.get(record, collection === "accounts" ? "id" : "accountId"), record })),
  );
  for (const { owner, record } of records) {
    if (typeof owner !== "string") continue;
    for (const [field, value] of Object.entries(record)) {
      if (!idsNamesAndSecrets.has(field) || typeof value !== "string" || value.length < shortestValue) continue;
      byAccount.set(owner, (byAccount.get(owner) ?? new Set()).add(value));
      owners.set(value, (owners.get(value) ?? new Set()).add(owner));
    }
  }
  return new Map(
    [...byAccount].map(([id, values]) => [id, [...values].filter((value) => owners.get(value)?.size === 1)]),
  );
}

const valuesOf = ownValues();

/** The values of all accounts but one. */
const valuesOfOthers = new Map(
  Object.values(accounts).map((id) => [id, [...valuesOf].flatMap(([other, values]) => (other === id ? [] : values))]),
);

/** The values of accounts other than the request's in a text, except for those that the request contains itself. */
export function foreignValuesIn(text: string, accountId: string, sent: string): string[] {
  const others = valuesOfOthers.get(accountId) ?? [...valuesOf.values()].flat();
  return others.filter((value) => text.includes(value) && !sent.includes(value));
}

const secretsIn = (node: unknown): string[] =>
  [...markedIn(node)].flatMap(([, value]) =>
    typeof value === "string" && value.length >= shortestValue ? [value] : [],
  );

const firstSecrets = secretsIn(world);

/** A check for the responses of one case, which starts in the initial state. */
export function createLeakCheck(): LeakCheck {
  const secrets = new Set(firstSecrets);
  const addSecrets = (node: unknown): void => {
    for (const secret of secretsIn(node)) secrets.add(secret);
  };
  return {
    addSeed: addSecrets,
    violationsOf({ operation, accountId, sent, text, body }) {
      const found: string[] = [];
      if ([...secrets].some((secret) => text.includes(secret) && !sent.includes(secret)))
        found.push("the response contains a secret that was shown before");
      for (const [field] of markedIn(body))
        if (operation === undefined || !shownBy.get(field)?.includes(operation))
          found.push(`the response has ${field}, which only ${shownBy.get(field)?.join(", ")} may show (§2.1)`);
      addSecrets(body);
      if (operation === undefined || accountId === undefined || !operations[operation].accountScoped) return found;
      for (const value of foreignValuesIn(text, accountId, sent))
        found.push(`the response contains ${value.slice(0, shortestValue)}… of another account`);
      return found;
    },
  };
}
