// Reads JSON of unknown shape.

export type JsonObject = { readonly [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textsIn = (value: unknown): string[] => listIn(value).filter((item) => typeof item === "string");

export const mapIn = (value: unknown): Map<string, unknown> => new Map(Object.entries(objectIn(value)));

/** JSON with sorted keys: equal values give equal texts. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? "nothing";

export const isEqual = (one: unknown, other: unknown): boolean => stable(one) === stable(other);

/** Resolves a `#/…` reference, and references to references. Returns other values unchanged. */
export function resolved(value: unknown, document: JsonObject): JsonObject {
  let found = objectIn(value);
  for (let hops = 0; typeof found.$ref === "string" && hops < 32; hops += 1) {
    const path = found.$ref.replace(/^#\//, "").split("/");
    const steps = path.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
    const { $ref: _, ...beside } = found;
    const target = steps.reduce<unknown>((node, step) => objectIn(node)[step], document);
    if (!isObject(target)) throw new Error(`The reference ${found.$ref} points to nothing. Fix it in openapi/.`);
    found = { ...target, ...beside };
  }
  return found;
}

/** The name of the component that a reference points to. */
export const nameOf = (value: unknown): string | undefined => {
  const reference = objectIn(value).$ref;
  return typeof reference === "string" ? reference.split("/").at(-1) : undefined;
};

/** Keys of either object whose values differ: those of the first object, then those that only the second has. */
export const changedKeys = (one: JsonObject, other: JsonObject): string[] =>
  Object.keys({ ...one, ...other }).filter((key) => !isEqual(one[key], other[key]));

/** Items that only the second list has, and items that only the first list has. */
export const listDifference = (was: readonly string[], is: readonly string[]) => ({
  added: is.filter((one) => !was.includes(one)),
  removed: was.filter((one) => !is.includes(one)),
});
