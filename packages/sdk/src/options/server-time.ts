// What a client knows of the server's clock: the newest `Date` of an answer, beside the caller's own clocks at its arrival.
import type { Moment } from "./clock.ts";

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
  #text = "";

  /** Notes the `Date` header of an answer. One that no correct clock shows is ignored. */
  note(text: string, moment: Moment): void {
    // Parsing takes as long as much of an attempt, and many answers arrive in the same second.
    const date = text === this.#text ? this.newest?.date : Date.parse(text);
    if (date === undefined || !(date >= 0 && date < latestDate)) return;
    this.#text = text;
    this.newest = { date, ...moment };
  }
}
