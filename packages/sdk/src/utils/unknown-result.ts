/**
 * A success of a `type` that this SDK version does not know. It has all fields that the API sent, but not in its type: else a field
 * of another result, such as `position`, would compile and be undefined.
 */
export interface UnknownResult {
  // As plain `string` it would match the known types too, so that a check of `type` would not narrow.
  /** The type as the API sent it, e.g. `scheduled`; without the prefix that the compiler shows. */
  readonly type: `unknown: ${string}`;
}
