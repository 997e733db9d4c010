// Compares the schemas of files that customers write for the mock server.
import { type Change, change } from "../change.ts";
import { isObject, type JsonObject, objectIn } from "../json.ts";
import { compareSchemas } from "./schemas.ts";

/** A reference to another schema as a value that equals itself alone: that schema is compared where it stands. */
function withoutOthers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOthers);
  if (!isObject(value)) return value;
  if (typeof value.$ref === "string" && !value.$ref.startsWith("#")) return { const: value.$ref };
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutOthers(inner)]));
}

const documentIn = (text: string): JsonObject => objectIn(withoutOthers(JSON.parse(text) as unknown));

/** What a document says of values; its definitions count where something refers to them. */
function schemaIn({ $defs: _, $schema: __, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** Every change between two schemas of what customers write. A text that is empty was not there: there is nothing to compare. */
export function compareSettings(path: string, before: string, after: string): Change[] {
  const name = path.split("/").at(-1) ?? path;
  if (before === "") return [];
  if (after === "") return [change("major", name, "was removed")];
  const [was, is] = [documentIn(before), documentIn(after)];
  return compareSchemas(schemaIn(was), schemaIn(is), {
    before: was,
    after: is,
    direction: "sent",
    place: name,
    usedIn: "written by customers",
  });
}
