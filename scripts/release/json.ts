// Reading JSON that came from elsewhere, without trusting its shape.

export type JsonObject = { readonly [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textsIn = (value: unknown): string[] => listIn(value).filter((item) => typeof item === "string");

/** JSON with the keys of every object in order, so that equal values are equal texts. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? "nothing";

export const isEqual = (one: unknown, other: unknown): boolean => stable(one) === stable(other);

/** What a `#/…` reference points to, followed to its end; other values as they are. */
export function resolved(value: unknown, document: JsonObject): JsonObject {
  let found = objectIn(value);
  for (let hops = 0; typeof found.$ref === "string" && hops < 32; hops += 1) {
    const path = found.$ref.replace(/^#\//, "").split("/");
    const steps = path.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
    const { $ref: _, ...beside } = found;
    const target = steps.reduce<unknown>((node, step) => objectIn(node)[step], document);
    if (!isObject(target)) throw new Error(`nothing stands at ${found.$ref}`);
    found = { ...target, ...beside };
  }
  return found;
}

/** The component's name that a reference ends in. */
export const nameOf = (value: unknown): string | undefined => {
  const reference = objectIn(value).$ref;
  return typeof reference === "string" ? reference.split("/").at(-1) : undefined;
};

/** Names in either object: those of the first in order, then the second's own. */
export const namesIn = (one: JsonObject, other: JsonObject): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];
