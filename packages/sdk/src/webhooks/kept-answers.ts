// Answers in the memory of this process, with a limit.

/** How many characters of answers to keep. Most answers have about 90. */
const maxCharacters = 16 * 1024 * 1024;

/** Answers by event. Those that end first come first. */
export class KeptAnswers {
  /** How many answers were forgotten before their time was over. */
  forgottenEarly = 0;
  readonly #answers = new Map<string, { readonly answer: string; readonly until: number }>();
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
    this.#answers.set(key, { answer, until });
    this.#characters += answer.length;
  }

  /** Forgets what ran out, and the oldest above the limits. */
  forgetOld(time: number): void {
    for (const [key, { until }] of this.#answers) {
      if (until <= time) this.#delete(key);
      else if (this.#answers.size <= this.#maxEvents && this.#characters <= maxCharacters) break;
      else {
        this.#delete(key);
        this.forgottenEarly += 1;
      }
    }
  }

  #delete(key: string): void {
    this.#characters -= this.#answers.get(key)?.answer.length ?? 0;
    this.#answers.delete(key);
  }
}
