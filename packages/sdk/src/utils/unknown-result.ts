/**
 * The `type` of a result that this SDK version does not know: any text, as the API sent it, e.g. `scheduled`. As plain `string` it
 * would match the known types too, so that a check of `type` would not narrow.
 */
export type UnknownType = `unknown: ${string}`;

/**
 * A success of a `type` that this SDK version does not know. It has all fields that the API sent, but not in its type: else a field
 * of another result, such as `position`, would compile and be undefined.
 */
export interface UnknownResult {
  /** The type as the API sent it, e.g. `scheduled`; without the prefix that the compiler shows. */
  readonly type: UnknownType;
}

/** Adds results of other types to those that a `type` tells apart. */
export type OrUnknown<Data> = Data extends { readonly type: infer Type }
  ? string extends Type
    ? Data
    : Data | UnknownResult
  : Data;
