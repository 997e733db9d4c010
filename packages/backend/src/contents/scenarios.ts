import { limits } from "@call-transfer/spec";
import type { Policies } from "../model/policies.ts";
import type { InboxAnswer } from "../platform/inbox.ts";

/** What a scenario changes of the records that are there when it is applied. */
export type ScenarioEdit =
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
  readonly inbox?: InboxAnswer;
  /** A change of the records. */
  readonly edit?: ScenarioEdit;
}

/** All scenarios. */
export const scenarios = [
  {
    name: "app-misses-offers",
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
    name: "everyone-away",
    description: "Every member is away until changed, so no person rings.",
    section: "§2.4",
    edit: "membersAway",
  },
  {
    name: "secret-just-rotated",
    description: `Every app destination has a new secret, and each webhook carries two signatures for ${limits.previousSecretOverlapHours} hours.`,
    section: "§6.2",
    edit: "secretsRotated",
  },
  {
    name: "daily-quota-used",
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
    name: "lost-answers",
    description: "Each call is placed, but the connection is reset before the answer arrives.",
    section: "§8.3",
    faults: ["createCall processThenDrop always"],
  },
] as const satisfies readonly Scenario[];

/** The name of a scenario. */
export type ScenarioName = (typeof scenarios)[number]["name"];
