// Notices that this machine's clock is off: then every genuine webhook is refused.
import { onceAMinute, type PrintedCauses } from "../utils/once-a-minute.ts";

/** A replayed webhook has one time. So many different ones in a row mean the clock. */
const refusalsInARow = 5;
/** How much the ages may differ, in milliseconds: by the time that deliveries take. */
const spreadMs = 30_000;

export class ClockWatch {
  /** Ages in milliseconds by the time of the signature, of the last refusals in a row. */
  readonly #ages = new Map<string, number>();
  readonly #printed: PrintedCauses = new Map();

  /** A webhook was accepted. */
  accept(): void {
    this.#ages.clear();
  }

  /** A genuine webhook was refused because of its time. Returns what to report, once a minute. */
  refuse(timestamp: string, ageMs: number): string | undefined {
    this.#ages.delete(timestamp);
    this.#ages.set(timestamp, ageMs);
    for (const oldest of this.#ages.keys()) {
      if (this.#ages.size <= refusalsInARow) break;
      this.#ages.delete(oldest);
    }
    const { problem } = this;
    if (problem === undefined || onceAMinute(this.#printed, "", performance.now()) === undefined) return undefined;
    return problem;
  }

  /** What is wrong now; undefined if nothing is known to be. */
  get problem(): string | undefined {
    const ages = [...this.#ages.values()];
    if (ages.length < refusalsInARow || Math.max(...ages) - Math.min(...ages) > spreadMs) return undefined;
    const seconds = Math.round((ages.at(-1) ?? 0) / 1000);
    const difference = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} this machine's clock`;
    return `The last ${refusalsInARow} genuine webhooks were signed at times ${difference}. Check this machine's clock.`;
  }
}
