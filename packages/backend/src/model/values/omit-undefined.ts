type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** A copy without the fields that are undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
