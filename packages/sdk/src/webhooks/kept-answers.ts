// Answers in the memory of this process, with a limit.

/** How many characters of answers to keep. Most answers have about 90. */
const maxCharacters = 16 * 1024 * 1024;

/** How many answers to look up at a time. A walk over a map passes the places of all that were deleted since it last grew. */
const batch = 256;

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
  /** Some that end first; what ends first of all stands last. Those that were replaced meanwhile count no more. */
  #ending: Kept[] = [];
  readonly #maxEvents: number;
  #characters = 0;

  constructor(maxEvents = 10_000) {
    this.#maxEvents = maxEvents;
  }

  get(key: string, time: number): string | undefined {
    const kept = this.#answers.get(key);
    return kept !== undefined && kept.until > time ? kept.answer : undefined;
  }

  set(key: string, answer: string, until: number): void {
    this.#delete(key);
    this.#answers.set(key, { key, answer, until });
    this.#characters += answer.length;
  }

  /** Forgets what ran out, and the oldest above the limits. */
  forgetOld(time: number): void {
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      if (first.until > time) {
        if (this.#answers.size <= this.#maxEvents && this.#characters <= maxCharacters) return;
        this.forgottenEarly += 1;
      }
      this.#delete(first.key);
    }
  }

  #first(): Kept | undefined {
    while (this.#answers.size > 0) {
      const first = this.#ending.at(-1);
      if (first !== undefined && this.#answers.get(first.key) === first) return first;
      if (this.#ending.pop() === undefined) this.#lookUp();
    }
    return undefined;
  }

  #lookUp(): void {
    for (const kept of this.#answers.values()) if (this.#ending.push(kept) === batch) break;
    this.#ending.reverse();
  }

  #delete(key: string): void {
    this.#characters -= this.#answers.get(key)?.answer.length ?? 0;
    this.#answers.delete(key);
  }
}
