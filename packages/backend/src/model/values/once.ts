/** Returns a function that creates a value at its first call, and then always returns this one. */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value extends object>(create: () => Value): () => Value {
  let created: Value | undefined;
  return () => (created ??= create());
}
