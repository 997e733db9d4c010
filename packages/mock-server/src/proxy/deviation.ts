/** The first section that a description names, as a property to spread; empty without one. */
export function sectionIn(description: string | undefined): { section?: string } {
  const [, section] = /\(\[?(§[\d.]*\d)/.exec(description ?? "") ?? [];
  return section === undefined ? {} : { section };
}

/** The place of a field: `body` and its JSON pointer. */
export function bodyPlace(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1"));
  return ["body", ...steps].join("/");
}

/** The value at a path of a JSON value; undefined without one. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, step) => (typeof part === "object" && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );
}
