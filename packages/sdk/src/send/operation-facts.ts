/** What the attempt loop needs to know of an operation. */
export interface OperationFacts {
  /** The operationId, or method and path of an operation that this version does not know. */
  readonly operationId: string;
  /** When it may be sent again: always, unless its name is taken, or never blindly. */
  readonly retry: "safe" | "unique" | "once";
  /** Whether a JWT must come with an account id (§5.2). */
  readonly accountScoped?: boolean;
  /** Whether a success is a JSON object, always or unless it has no body; nothing is expected of unknown operations. */
  readonly answer?: "object" | "object or nothing";
}
