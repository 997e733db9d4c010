// Compares what customers rely on besides types, options and the contract, as promises.ts collects it.
import { type Change, change, compareNamed } from "../change.ts";
import { isEqual, mapIn, objectIn, stable } from "../json.ts";

const promisesIn = (text: string): ReadonlyMap<string, unknown> =>
  mapIn(text === "" ? {} : objectIn(JSON.parse(text) as unknown));

/** Every change between two texts of promises. A text that is empty was not recorded: there is nothing to compare. */
export function comparePromises(before: string, after: string): Change[] {
  if (before === "") return [];
  return compareNamed(promisesIn(before), promisesIn(after), {
    removed: (name) => change("major", name, "was removed"),
    added: (name) => change("minor", name, "was added"),
    kept: (was, is, name) => (isEqual(was, is) ? [] : [change("major", name, `${stable(was)} is now ${stable(is)}`)]),
  });
}

const isMigration = (name: string): boolean => name.startsWith("migration ");

/** Problems of released migrations, which must stay as they are: data files of customers have gone through them. */
export function changedMigrations(before: string, after: string): string[] {
  const is = promisesIn(after);
  return [...promisesIn(before)].flatMap(([name, was]) =>
    !isMigration(name) || is.get(name) === was
      ? []
      : [`The ${name} was changed after its release. Restore it, and add a migration after it for what should differ.`],
  );
}
