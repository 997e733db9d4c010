/** Allows `undefined` for optional properties (exactOptionalPropertyTypes). */
export type AllowUndefined<T> = { [Name in keyof T]: undefined extends T[Name] ? T[Name] | undefined : T[Name] };

/** Allows read-only arrays. */
type AllowReadonlyArrays<T> = T extends readonly (infer Item)[]
  ? readonly AllowReadonlyArrays<Item>[]
  : T extends object
    ? { [Name in keyof T]: AllowReadonlyArrays<T[Name]> }
    : T;

/** The named properties of a type, without its index signature. */
type NamedProperties<T> = {
  [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};

/**
 * A request body. Its arrays may be read-only. Where additional properties are accepted, it may also be an interface,
 * which has no index signature.
 */
export type RequestBody<T> = AllowReadonlyArrays<string extends keyof T ? NamedProperties<T> | T : T>;
