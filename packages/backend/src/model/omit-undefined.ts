type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Leaves out what is undefined, so that a default may stand before it. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
