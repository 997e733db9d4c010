import { durationOf, UsageError } from "./command-line.ts";

/** What someone does during a transfer, and when: exactly one of the two times is set. */
export interface ScriptLine {
  /** A destination or member, as it was typed. */
  readonly who: string;
  readonly answerAfterSecs?: number;
  readonly declineAfterSecs?: number;
}

const lineForm = /^(.+?)\s+(answers?|declines?)(?:\s+(?:after\s+)?(\S+))?$/i;

/**
 * Parses scripts of a transfer: `Reception declines after 3s, Mia answers 8s`. `after` may be left out, and without a time
 * it happens at once. Throws UsageError that shows the form.
 */
export function readScript(scripts: readonly string[]): readonly ScriptLine[] {
  return scripts
    .flatMap((script) => script.split(","))
    .map((line) => {
      const [, who, verb, time = "0s"] = lineForm.exec(line.trim()) ?? [];
      const ms = durationOf(time);
      if (who === undefined || verb === undefined || ms === undefined)
        throw new UsageError(
          `--script "${line.trim()}": must be WHO answers after TIME, or WHO declines after TIME, such as "Reception answers after 3s".`,
        );
      const secs = ms / 1000;
      return { who, ...(/^answer/i.test(verb) ? { answerAfterSecs: secs } : { declineAfterSecs: secs }) };
    });
}
