/** Something handed to the backend itself (a seed, a fault, a policy, a key, a trigger) is wrong. */
export class InputError extends Error {
  override readonly name = "InputError";
  /** The field at fault, e.g. `seed.members[2].role`. */
  readonly field: string;

  constructor(field: string, explanation: string) {
    super(`${field}: ${explanation}`);
    this.field = field;
  }
}
