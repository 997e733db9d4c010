// What a client knows of the server's clock: the newest `Date` of an answer, beside the caller's own clocks at its arrival.
import type { Clock } from "./options.ts";

/** A moment by the caller's two clocks. The first may be corrected, and the second may stand still while the machine sleeps. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since any fixed moment. */
  readonly elapsed: number;
}

/** The `Date` of an answer, in milliseconds since 1970 by the server's clock, and when it arrived. */
export interface DatedAnswer extends Moment {
  readonly date: number;
}

/** No clock is right that shows this year. */
const latestDate = Date.UTC(2200);

/** Keeps the newest `Date` of a server, for a client and its copies. */
export class ServerTime {
  /** Undefined until an answer has a valid `Date`. */
  newest: DatedAnswer | undefined;
  #text: string | null = null;

  /** Notes the `Date` header of an answer. One that no correct clock shows is ignored. */
  note(text: string | null, moment: Moment): void {
    // Parsing takes as long as much of an attempt, and many answers arrive in the same second.
    const date = text === this.#text ? this.newest?.date : Date.parse(text ?? "");
    if (date === undefined || !(date >= 0 && date < latestDate)) return;
    this.#text = text;
    this.newest = { date, ...moment };
  }
}

/** The present moment by the clocks of a client. */
export const momentOf = ({ clock, elapsed }: { readonly clock: Clock; readonly elapsed: () => number }): Moment => ({
  now: clock.now(),
  elapsed: elapsed(),
});
