// Compares the vectors that clients in any language are held to: JSON of their files by path.
import { type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, type JsonObject, listIn, mapIn, objectIn } from "../json.ts";

/** The vectors of each file. */
const filesIn = (text: string): Map<string, JsonObject> =>
  new Map(
    [...mapIn(text === "" ? {} : (JSON.parse(text) as unknown))].flatMap(([path, file]): [string, JsonObject][] =>
      path.endsWith(".json")
        ? [[`vectors/${path.split("/").at(-1)}`, objectIn(JSON.parse(String(file)) as unknown)]]
        : [],
    ),
  );

const casesIn = ({ cases }: JsonObject): Map<string, unknown> =>
  new Map(listIn(cases).map((each) => [String(objectIn(each).name), each]));

/** Every change of the vectors. A text that is empty was not there: there is nothing to compare. */
export function compareVectors(before: string, after: string): Change[] {
  if (before === "") return [];
  return compareNamed(filesIn(before), filesIn(after), {
    removed: (file) => change("major", file, "was removed"),
    added: (file) => change("minor", file, "was added"),
    kept: (was, is, file) => [...compareCases(casesIn(was), casesIn(is), file), ...compareRest(was, is, file)],
  });
}

/** A client passes the vectors, so another case under the same name is another rule. */
const compareCases = (was: ReadonlyMap<string, unknown>, is: ReadonlyMap<string, unknown>, file: string): Change[] =>
  compareNamed(was, is, {
    removed: (name) => change("major", `${file}, case ${name}`, "was removed"),
    added: (name) => change("minor", `${file}, case ${name}`, "was added"),
    kept: (old, now, name) => changeIf(!isEqual(old, now), "major", `${file}, case ${name}`, "was changed"),
  });

/** What stands beside the cases: a text about them, and what says how to read them. */
function compareRest(was: JsonObject, is: JsonObject, file: string): Change[] {
  const { about, cases: _, ...rest } = was;
  const { about: newAbout, cases: __, ...newRest } = is;
  return [
    ...changeIf(about !== newAbout, "patch", `${file}, about`, "was reworded"),
    ...changeIf(!isEqual(rest, newRest), "major", file, "is to be read in another way"),
  ];
}
