const replacement = "[redacted]";
const secretName = /(?:secret|token|password|api-?key|authorization|cookie|signature)$|^key$/i;

/** A copy in which every field with a secret's name has lost its text. */
export function redacted(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretName.test(name) && typeof value === "string" ? replacement : redactedValue(value),
    ]),
  );
}

/** Headers by name; of a credential only its scheme is left. */
export function redactedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (!secretName.test(name)) return [name, value];
      const scheme = /^\w+(?= )/.exec(value);
      return [name, scheme === null ? replacement : `${scheme[0]} ${replacement}`];
    }),
  );
}

function redactedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedValue);
  return typeof value === "object" && value !== null ? redacted(Object.fromEntries(Object.entries(value))) : value;
}
