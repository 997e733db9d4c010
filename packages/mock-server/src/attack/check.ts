import type { Reply } from "./deliver.ts";
import type { CheckGroup, FindingKind, Severity } from "./report.ts";
import type { Offer, Sender } from "./sender.ts";

/** How often the app may handle an event. */
export type Handling = "never" | "at most once" | "once";

/** An offer that was accepted. A copy of it at the end shows how long the receiver remembers. */
export interface FirstDelivery {
  readonly offer: Offer;
  readonly signature: string;
  readonly reply: Reply;
  /** When it was answered, by `elapsed()`. */
  readonly at: number;
}

/** What a check needs to know besides how to send. */
export interface Lab {
  readonly sender: Sender;
  readonly previousSecret: string | undefined;
  readonly retiredSecret: string | undefined;
  readonly toleranceSecs: number;
  /** How long a correct receiver takes for an answer. A patient attack waits longer. */
  readonly timeoutMs: number;
  /** What all checks share. */
  readonly memory: { first?: FirstDelivery };
  /** Registers how often an event must be handled. It is compared at the end, so that late handling is seen too. */
  expectHandled(id: string, handling: Handling): void;
  /** Adds what a check measured to its result. */
  note(text: string): void;
}

/** Something wrong that a check saw. The fix is the check's, unless it names its own. */
export interface Problem {
  readonly kind: FindingKind;
  readonly problem: string;
  readonly fix?: string;
  /** The answers that show it. The report shows what they answered. */
  readonly replies?: readonly Reply[];
}

export interface Check {
  readonly name: string;
  readonly group: CheckGroup;
  readonly cites: string;
  readonly fix: string;
  /** How severe a finding is; by its kind unless given. */
  readonly severity?: Severity;
  /** What it cannot do without. */
  readonly requires?: Requirement;
  /** Sends its deliveries and returns what was wrong. */
  run(lab: Lab): Promise<readonly Problem[]>;
}

/** An option that some checks need. */
export type Requirement = "previousSecret" | "retiredSecret";

/** The name of a check, the section or assumption that it is about, how to fix what it finds, and how severe that is. */
export type About = readonly [name: string, cites: string, fix: string, severity?: Severity];

export function check(
  group: CheckGroup,
  [name, cites, fix, severity]: About,
  run: (lab: Lab) => Promise<readonly Problem[]>,
  requires?: Requirement,
): Check {
  return { name, group, cites, fix, run, ...(severity && { severity }), ...(requires && { requires }) };
}
