// Answers in the memory of this process, with a limit.

/** How many characters of answers to keep. Most answers have about 90. */
const maxCharacters = 16 * 1024 * 1024;

interface Kept {
  readonly key: string;
  readonly answer: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Answers by event. Those that end first come first. */
export class KeptAnswers {
  /** How many answers were forgotten before their time was over. */
  forgottenEarly = 0;
  readonly #answers = new Map<string, Kept>();
  /**
   * What ends first stands last. Those that were replaced meanwhile count no more. It is filled when it is empty: a walk over
   * a map passes the places of all that were deleted since it last grew, so one for each event would cost more than all else.
   */
  #ending: Kept[] = [];
  readonly #maxEvents: number;
  #characters = 0;

  constructor(maxEvents = 10_000) {
    this.#maxEvents = maxEvents;
  }

  get(key: string, time: number): string | undefined {
    const kept = this.#answers.get(key);
    return kept && kept.until > time ? kept.answer : undefined;
  }

  set(key: string, answer: string, until: number): void {
    this.#delete(key);
    this.#answers.set(key, { key, answer, until });
    this.#characters += answer.length;
  }

  /** Forgets what ran out, and the oldest above the limits. */
  forgetOld(time: number): void {
    while (this.#answers.size) {
      const first = this.#ending.at(-1);
      if (!first) this.#ending = [...this.#answers.values()].reverse();
      else if (this.#answers.get(first.key) !== first) this.#ending.pop();
      else {
        const isEarly = first.until > time;
        if (isEarly && this.#answers.size <= this.#maxEvents && this.#characters <= maxCharacters) return;
        if (isEarly) this.forgottenEarly += 1;
        this.#delete(first.key);
      }
    }
  }

  #delete(key: string): void {
    this.#characters -= this.#answers.get(key)?.answer.length ?? 0;
    this.#answers.delete(key);
  }
}
