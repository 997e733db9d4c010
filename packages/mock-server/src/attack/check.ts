import type { CheckGroup, FindingKind } from "./report.ts";
import type { Sender } from "./sender.ts";

/** How often the app may handle an event. */
export type Handling = "never" | "at most once" | "once";

/** What a check needs to know besides how to send. */
export interface Lab {
  readonly sender: Sender;
  readonly previousSecret: string | undefined;
  readonly toleranceSecs: number;
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
}

export interface Check {
  readonly name: string;
  readonly group: CheckGroup;
  readonly cites: string;
  readonly fix: string;
  /** What it cannot do without. */
  readonly requires?: "handled" | "previousSecret";
  /** Sends its deliveries and returns what was wrong. */
  run(lab: Lab): Promise<readonly Problem[]>;
}

/** The name of a check, the section or assumption that it is about, and how to fix what it finds. */
export type About = readonly [name: string, cites: string, fix: string];

/** Creates a check. */
export function check(
  group: CheckGroup,
  [name, cites, fix]: About,
  run: (lab: Lab) => Promise<readonly Problem[]>,
  requires?: "previousSecret",
): Check {
  return { name, group, cites, fix, run, ...(requires && { requires }) };
}
