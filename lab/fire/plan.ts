// What every plan of a fire has. `main.ts` runs them: a seed, processes that are disturbed, a history, and a judge at the end.

/** One run of a plan. */
export interface Run {
  /** One of the plan's kinds. */
  readonly kind: string;
  /** Decides what is done and when. The machine decides the rest. */
  readonly seed: number;
  /** How much is done: kills, deliveries, events or requests, as the plan says. */
  readonly amount: number;
  /** A mistake that is planted, and that the judge must find. */
  readonly plant?: string;
  /** What some plans take from the command line. */
  readonly receivers?: number;
  readonly python?: number;
  readonly onStoreError?: "handle" | "reject";
}

/** What a run counted and found. */
export interface World {
  readonly counts: Readonly<Record<string, number>>;
  /** Broken promises, as sentences. */
  readonly findings: readonly string[];
  /** Lines for people who look for the cause of the findings. */
  readonly history?: () => readonly string[];
}

export interface Plan {
  readonly does: string;
  /** Each is run in turn. */
  readonly kinds: readonly string[];
  /** What `amount` counts. */
  readonly unit: string;
  /** What the night runs, and how much at most in one world: larger amounts are split over seeds. */
  readonly amount: number;
  readonly mostPerWorld: number;
  /** Mistakes, with the kind in which each is planted, how much of it is run, and over how many seeds until it is found. */
  readonly plants: Readonly<Record<string, { readonly kind: string; readonly amount: number; readonly seeds: number }>>;
  /** Runs that the night makes beside those of the kinds. */
  readonly alsoAtNight?: readonly Partial<Run>[];
  run(given: Run): Promise<World>;
}
