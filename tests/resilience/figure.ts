/** One measured promise. */
export interface Figure {
  readonly name: string;
  /** What must hold, in words. */
  readonly target: string;
  measure(): Promise<Measured>;
}

/** What a measurement found. */
export interface Measured {
  readonly figure: string;
  readonly ok: boolean;
}
