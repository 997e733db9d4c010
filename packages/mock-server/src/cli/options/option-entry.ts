// What a row of an option table says.

/** What answers the requests to the API. */
export const engines = ["stateful", "prism"] as const;

/** An option: what the parser, the sources of settings, the help and the schemas need. */
export interface OptionEntry {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly short?: string;
  readonly default?: boolean;
  /** The default, which the command applies itself. Values of the parser lack it, so that they show what was given. */
  readonly fallback?: string;
  /** The placeholder of the value in the help, e.g. `ID`. */
  readonly value?: string;
  /** Its first sentence is the short help. `{default}` stands for the default, which otherwise follows at the end. */
  readonly help?: string;
  /** A value to try, for the few options that the short help shows. */
  readonly example?: string;
  readonly choices?: readonly string[];
  /**
   * What a text stands for: `path` is a file, relative to the config file there, a `secret` is never part of a message, `json`
   * is a file or its content, `policies` has the form NAME=VALUE, and one of `faults` is a file, JSON or a text with commas.
   */
  readonly kind?: "path" | "number" | "secret" | "json" | "policies" | "faults";
  /** The setting that the option takes its value from, when its own name differs. */
  readonly setting?: string;
  /** The engines that take it; only the stateful one unless named. */
  readonly engines?: readonly (typeof engines)[number][];
  /** Whether a restored state replaces what it says. */
  readonly isState?: boolean;
  /** The file of the package's `src` that reads it, if it is not the one of its table: a test fails when that file does not. */
  readonly readBy?: string;
}

export type OptionTable = Readonly<Record<string, OptionEntry>>;

type More = Omit<OptionEntry, "type" | "help">;

/** An option with a value. */
export const option = <const Facts extends More>(facts: Facts, help: string) =>
  ({ type: "string", help, ...facts }) as const;
/** An option without a value. */
export const flag = <const Facts extends More>(help: string, facts: Facts) =>
  ({ type: "boolean", default: false, help, ...facts }) as const;
