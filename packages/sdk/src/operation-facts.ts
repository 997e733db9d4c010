/** What the attempt loop needs to know of an operation. */
export interface OperationFacts {
  /** The operationId. */
  readonly id: string;
  /** When it may be sent again: always, unless its name is taken, or never blindly. */
  readonly retry: "safe" | "unique" | "once";
  /** Whether a JWT must come with an account id (§5.2). */
  readonly accountScoped: boolean;
  /** Whether a success may come without a body. */
  readonly bodyless?: boolean;
}
