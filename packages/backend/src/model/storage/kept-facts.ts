import type { RowChange } from "./store.ts";
import { factTable } from "./stored-state.ts";

/** A value that is stored as a whole, such as the policies. */
export interface Fact {
  read(): unknown;
  /** Whether each commit compares it, because it changes unannounced. */
  readonly isCompared?: boolean;
}

/** A fact with its name and the text to store. */
type FactChange = RowChange & { readonly text: string };

/** The facts of a sandbox, with what the store holds of them. */
export class KeptFacts {
  readonly #facts: Readonly<Record<string, Fact>>;
  readonly #texts: Map<string, string>;
  readonly #touched = new Set<string>();

  /** Continues from the stored texts, by name. */
  constructor(facts: Readonly<Record<string, Fact>>, texts = new Map<string, string>()) {
    this.#facts = facts;
    this.#texts = texts;
  }

  /** Notes that a fact may have changed. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  forgetTouched(): void {
    this.#touched.clear();
  }

  /** What the store holds. */
  stored(): (readonly [name: string, value: unknown])[] {
    return [...this.#texts].map(([name, text]) => [name, JSON.parse(text)]);
  }

  /** The facts that differ from the store: those that were touched or are compared, and all of a new store. */
  changed(): readonly FactChange[] {
    const isNew = this.#texts.size === 0;
    return Object.entries(this.#facts).flatMap(([key, { read, isCompared = false }]) => {
      if (!isCompared && !isNew && !this.#touched.has(key)) return [];
      const text = JSON.stringify(read());
      return text === this.#texts.get(key) ? [] : { table: factTable, key, text };
    });
  }

  /** Notes that the store holds these changes, and all others. */
  keep(changes: readonly FactChange[]): void {
    this.#touched.clear();
    for (const { key, text } of changes) this.#texts.set(key, text);
  }
}
