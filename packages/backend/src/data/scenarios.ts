import { limits } from "@call-transfer/spec";
import type { ScenarioName } from "../generated/models.gen.ts";
import { dayOf } from "../model/indexes.ts";
import type { Policies } from "../model/policies.ts";
import type { CallRecord, DestinationRecord } from "../model/records.ts";
import { type InboxResponse, inboxUrl } from "../platform/inbox.ts";
import { newSigningSecret, secretsAt } from "../rules/accounts.ts";
import { InputError } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import type { Core } from "./load-sandbox.ts";

export type { ScenarioName };

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

/** What a situation that apps are tested in changes. */
interface Scenario {
  /** Faults as texts. */
  readonly faults?: readonly string[];
  /** Changes of policies. */
  readonly policies?: Partial<Policies>;
  /** How the built-in inbox answers offers. */
  readonly inbox?: InboxResponse;
  /** A change of the records. */
  readonly edit?: ScenarioEdit;
}

/** Every scenario. openapi/control/control.yaml describes them. */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  "app-times-out": { inbox: { delaySecs: 86_400 }, edit: "appsAtInbox" },
  "slow-app": { inbox: { delaySecs: 8 }, edit: "appsAtInbox" },
  "all-members-away": { edit: "membersAway" },
  "secret-rotated": { edit: "secretsRotated" },
  "daily-limit-reached": { edit: "dailyQuotaUsed" },
  "queue-full": { policies: { concurrentCallLimit: 0, callQueueLimit: 0 } },
  "rate-limited": { policies: { rateLimit: { requests: 5, windowSecs: 20 } } },
  "flaky-503": { faults: ["* service_unavailable 20%"] },
  "lost-responses": { faults: ["createCall process_then_reset always"] },
};

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
    faults.replaceOfScenario(name, scenario.faults ?? []);
  });
  backend.events.emit("scenario.applied", { name });
}

function scenarioNamed(name: string): Scenario {
  if (Object.hasOwn(scenarios, name)) return scenarios[name as ScenarioName];
  const names = Object.keys(scenarios);
  const advice = suggestion(String(name), names) || ` Scenarios: ${names.join(", ")}.`;
  throw new InputError("", `there is no scenario "${name}".${advice}`);
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
