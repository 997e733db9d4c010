import { limits } from "@call-transfer/spec";
import type { FaultQueue } from "../faults/faults.ts";
import { parseFault } from "../faults/parse-fault.ts";
import { dayOf } from "../model/indexes.ts";
import type { CallRecord, DestinationRecord } from "../model/records.ts";
import type { World } from "../model/state.ts";
import { type Inbox, inboxUrl } from "../platform/inbox.ts";
import { newSigningSecret, secretsAt } from "../rules/secrets.ts";
import { InputError } from "../utils/input-error.ts";
import type { Random } from "../utils/random.ts";
import { suggestion } from "../utils/text.ts";
import { type Scenario, type ScenarioEdit, scenarios } from "./scenarios.ts";

/** The parts of a backend that a scenario changes. */
export interface ScenarioParts {
  readonly world: World;
  readonly faults: FaultQueue;
  readonly inbox: Inbox;
  /** The generators, of which that of faults does not change the ids of records created later. */
  readonly randoms: { readonly faults: Random };
}

/** The number of calls that the accounts place to use up their day, at least. */
const callsOfADay = 20;

/**
 * Applies a scenario. Its faults replace those that it added before. Throws InputError for an unknown name, or if a record
 * is missing that the scenario needs, and then changes nothing.
 */
export function applyScenario(parts: ScenarioParts, name: string): void {
  const { world, faults, inbox } = parts;
  const scenario = scenarioNamed(name);
  world.events.quietly(() => {
    if (scenario.edit !== undefined) edits[scenario.edit](parts, name);
    world.expiries.refresh();
    Object.assign(world.policies, structuredClone(scenario.policies));
    if (scenario.inbox !== undefined) inbox.answer = scenario.inbox;
    faults.replaceOfScenario(
      name,
      (scenario.faults ?? []).map((text) => ({ ...parseFault(text), name })),
    );
  });
  world.events.emit("scenario.applied", { name });
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
type Edit = (parts: ScenarioParts, scenario: string) => void;

const edits: Readonly<Record<ScenarioEdit, Edit>> = {
  membersAway({ world: { state, clock } }, scenario) {
    const away = { status: "away", source: "member", updatedAt: clock.iso() } as const;
    for (const member of needed(scenario, "member", state.members.values()))
      state.members.set(member.id, { ...member, availability: away, missedCalls: 0 });
  },
  appsAtInbox({ world: { state } }, scenario) {
    for (const app of appsOf(state.destinations.values(), scenario))
      state.destinations.set(app.id, { ...app, config: { ...app.config, url: inboxUrl } });
  },
  secretsRotated({ world: { state, clock }, randoms }, scenario) {
    for (const app of appsOf(state.destinations.values(), scenario)) {
      // Another rotation would end the secret that receivers still have.
      if (secretsAt(app, clock.now()).length > 1) continue;
      state.destinations.set(app.id, {
        ...app,
        previousSecret: app.signingSecret,
        previousSecretExpiresAt: clock.now() + limits.previousSecretOverlapHours * 3_600_000,
        signingSecret: newSigningSecret(randoms.faults),
        updatedAt: clock.iso(),
      });
    }
  },
  dailyQuotaUsed({ world: { state, clock, policies }, randoms }, scenario) {
    const now = clock.now();
    const accounts = needed(scenario, "account", state.accounts.values());
    const placed = (accountId: string): number => state.calls.of(accountId).placedOn.get(dayOf(now)) ?? 0;
    policies.dailyCallLimit = Math.max(callsOfADay, ...accounts.map(({ id }) => placed(id)));
    for (const { id: accountId } of accounts)
      while (placed(accountId) < policies.dailyCallLimit) {
        const call = placedCall(randoms.faults.uuid(), accountId, now);
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
