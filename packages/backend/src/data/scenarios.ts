import { limits } from "@call-transfer/spec";
import { parseFault } from "../faults/parse-fault.ts";
import { dayOf } from "../model/indexes.ts";
import type { Policies } from "../model/policies.ts";
import type { CallRecord, DestinationRecord } from "../model/records.ts";
import { type InboxResponse, inboxUrl } from "../platform/inbox.ts";
import { newSigningSecret, secretsAt } from "../rules/accounts.ts";
import { InputError } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import type { Core } from "./load-sandbox.ts";

/** What a scenario changes of the records that are there when it is applied. */
type ScenarioEdit =
  /** Every member becomes away until changed. */
  | "membersAway"
  /** Every account has placed as many calls today as it may. */
  | "dailyQuotaUsed"
  /** Every app destination has a new secret, and the one before it still signs. */
  | "secretsRotated"
  /** Every app destination delivers to the built-in inbox. */
  | "appsAtInbox";

/** A situation that apps are tested in, by name. */
export interface Scenario {
  /** The name, e.g. `queue-full`. */
  readonly name: string;
  /** What happens, in a sentence. */
  readonly description: string;
  /** The section of the specification that it is about. */
  readonly section: string;
  /** Faults as texts. */
  readonly faults?: readonly string[];
  /** Changes of policies. */
  readonly policies?: Partial<Policies>;
  /** How the built-in inbox answers offers. */
  readonly inbox?: InboxResponse;
  /** A change of the records. */
  readonly edit?: ScenarioEdit;
}

/** All scenarios. */
export const scenarios = [
  {
    name: "app-times-out",
    description: "The app answers no offer, so each delivery times out. Offers go to the built-in inbox.",
    section: "§6",
    inbox: { delaySecs: 86_400 },
    edit: "appsAtInbox",
  },
  {
    name: "slow-app",
    description: "The app accepts each offer after eight seconds. Offers go to the built-in inbox.",
    section: "§6",
    inbox: { delaySecs: 8 },
    edit: "appsAtInbox",
  },
  {
    name: "all-members-away",
    description: "Every member is away until changed, so no person rings.",
    section: "§2.4",
    edit: "membersAway",
  },
  {
    name: "secret-rotated",
    description: `Every app destination has a new secret, and each webhook carries two signatures for ${limits.previousSecretOverlapHours} hours.`,
    section: "§6.2",
    edit: "secretsRotated",
  },
  {
    name: "daily-limit-reached",
    description: "Every account has placed all its calls of the day, so each call is refused until midnight UTC.",
    section: "§8",
    edit: "dailyQuotaUsed",
  },
  {
    name: "queue-full",
    description: "No call may start and none may wait, so each call is refused with queue_full.",
    section: "§8.2",
    policies: { concurrentCallLimit: 0, callQueueLimit: 0 },
  },
  {
    name: "rate-limited",
    description: "Each credential may send five requests in 20 seconds.",
    section: "§8.1",
    policies: { rateLimit: { requests: 5, windowSecs: 20 } },
  },
  {
    name: "flaky-503",
    description: "One request in five fails with service_unavailable.",
    section: "§7.2",
    faults: ["* service_unavailable 20%"],
  },
  {
    name: "lost-responses",
    description: "Each call is placed, but the connection is reset before the answer arrives.",
    section: "§8.3",
    faults: ["createCall process_then_reset always"],
  },
] as const satisfies readonly Scenario[];

/** The name of a scenario. */
export type ScenarioName = (typeof scenarios)[number]["name"];

/** The number of calls that the accounts place to use up their day, at least. */
const callsOfADay = 20;

/**
 * Applies a scenario. Its faults replace those that it added before. Throws InputError for an unknown name, or if a record
 * is missing that the scenario needs, and then changes nothing.
 */
export function applyScenario(parts: Core, name: string): void {
  const { backend, faults, inbox } = parts;
  const scenario = scenarioNamed(name);
  backend.events.quietly(() => {
    if (scenario.edit !== undefined) edits[scenario.edit](parts, name);
    backend.expiries.refresh();
    Object.assign(backend.policies, structuredClone(scenario.policies));
    if (scenario.inbox !== undefined) inbox.response = scenario.inbox;
    faults.replaceOfScenario(
      name,
      (scenario.faults ?? []).map((text) => ({ ...parseFault(text), name })),
    );
  });
  backend.events.emit("scenario.applied", { name });
}

function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new InputError("", unknownScenario(name));
  return found;
}

/** The error message for a name that no scenario has. */
export function unknownScenario(name: string): string {
  const names = scenarios.map((scenario) => scenario.name);
  return `there is no scenario "${name}".${suggestion(String(name), names) || ` Scenarios: ${names.join(", ")}.`}`;
}

/** Changes records. Throws InputError before the first change if there are none. */
type Edit = (core: Core, scenario: string) => void;

const edits: Readonly<Record<ScenarioEdit, Edit>> = {
  membersAway({ backend: { state, clock } }, scenario) {
    const away = { status: "away", source: "member", updatedAt: clock.iso() } as const;
    for (const member of needed(scenario, "member", state.members.values()))
      state.members.set(member.id, { ...member, availability: away, missedCalls: 0 });
  },
  appsAtInbox({ backend: { state } }, scenario) {
    for (const app of appsOf(state.destinations.values(), scenario))
      state.destinations.set(app.id, { ...app, config: { ...app.config, url: inboxUrl } });
  },
  secretsRotated({ backend: { state, clock }, generators }, scenario) {
    for (const app of appsOf(state.destinations.values(), scenario)) {
      // Another rotation would end the secret that receivers still have.
      if (secretsAt(app, clock.now()).length > 1) continue;
      state.destinations.set(app.id, {
        ...app,
        previousSecret: app.signingSecret,
        previousSecretExpiresAt: clock.now() + limits.previousSecretOverlapHours * 3_600_000,
        signingSecret: newSigningSecret(generators.sequences.faults),
        updatedAt: clock.iso(),
      });
    }
  },
  dailyQuotaUsed({ backend: { state, clock, policies }, generators }, scenario) {
    const now = clock.now();
    const accounts = needed(scenario, "account", state.accounts.values());
    const placed = (accountId: string): number => state.calls.of(accountId).placedOn.get(dayOf(now)) ?? 0;
    policies.dailyCallLimit = Math.max(callsOfADay, ...accounts.map(({ id }) => placed(id)));
    for (const { id: accountId } of accounts)
      while (placed(accountId) < policies.dailyCallLimit) {
        const call = placedCall(generators.sequences.faults.uuid(), accountId, now);
        state.calls.set(call.id, call);
      }
  },
};

/** A call that was placed and is over. */
function placedCall(id: string, accountId: string, now: number): CallRecord {
  const over = { direction: "outbound", status: "completed", duration: 60 };
  return { id, accountId, ...over, createdAt: now, startedAt: now, request: {} };
}

function appsOf(destinations: Iterable<DestinationRecord>, scenario: string): readonly DestinationRecord[] {
  return needed(
    scenario,
    "destination of kind app",
    [...destinations].filter(({ kind }) => kind === "app"),
  );
}

/** The records that a scenario changes. Throws InputError if there are none. */
function needed<Record>(scenario: string, what: string, records: Iterable<Record>): readonly Record[] {
  const found = [...records];
  if (found.length === 0)
    throw new InputError("", `${scenario} needs at least one ${what}, and the sandbox has none. Add one to the seed.`);
  return found;
}
