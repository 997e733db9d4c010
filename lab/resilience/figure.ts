/** A measured claim. */
export interface Figure {
  readonly name: string;
  /** The condition that must hold. */
  readonly target: string;
  measure(): Promise<{ figure: string; ok: boolean }>;
}
