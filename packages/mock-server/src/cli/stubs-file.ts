import { statSync } from "node:fs";
import { createBackend, InputError, type Stub } from "@call-transfer/backend";
import { errorMessage } from "@call-transfer/backend/control-client";
import type { Document, visit } from "yaml";
import { isObject, readText, suggestion, UsageError } from "./values.ts";

/** As large as what the control plane takes. */
const maxMiB = 1;
const tooDeep = "is nested deeper than 64 levels";

/**
 * Reads the stubs of a YAML or JSON file. Throws UsageError in one line that names the option, the file and the line, and the
 * wrong field.
 */
export async function readStubs(option: string, path: string): Promise<readonly Stub[]> {
  const place = `${option} ${path}`;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxMiB * 2 ** 20)
    throw new UsageError(`${place}: has ${Math.ceil(size / 2 ** 20)} MiB. At most ${maxMiB} MiB is allowed.`);
  const text = readText(option, path);
  // The parser takes long to fail at such a depth.
  if (/(?:[[{][^[\]{}]*){65}/.test(text)) throw new UsageError(`${place}: ${tooDeep}`);
  const { LineCounter, parseDocument, visit } = await import("yaml");
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, logLevel: "error", uniqueKeys: false } as const;
  const document = parseDocument(text, options);
  const errorAt = (offset: number, message: string): UsageError =>
    new UsageError(`${place}:${lines.linePos(offset).line}: ${message}`);
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined)
    throw errorAt(wrong.pos[0], wrong.message.includes("call stack") ? tooDeep : `not valid YAML: ${wrong.message}`);
  const repeated = repeatedKey(document, visit);
  if (repeated !== undefined) throw errorAt(repeated, "not valid YAML: Map keys must be unique");
  try {
    return stubsIn(document.toJS());
  } catch (error) {
    if (!(error instanceof InputError)) throw new UsageError(`${place}: ${aliasError(errorMessage(error))}`);
    // YAML reads 5 as a number.
    const advice = /must be a text, not -?\d[\d.]*$/.test(error.message) ? ". Put it in quotes." : "";
    throw errorAt(offsetOf(document, error.field), `${error.message}${advice}`);
  }
}

/** Where a key is that its map already has. The parser compares each key with each other one, which can take minutes. */
function repeatedKey(document: Document.Parsed, walk: typeof visit): number | undefined {
  let found: number | undefined;
  walk(document, {
    Map(_, { items }) {
      const known = new Set<string>();
      for (const { key } of items) {
        if (!isObject(key) || !("value" in key) || !Array.isArray(key.range)) continue;
        const name = String(key.value);
        if (known.has(name)) found ??= Number(key.range[0]);
        known.add(name);
      }
    },
  });
  return found;
}

/** The parser's error about aliases, with what to do. */
function aliasError(message: string): string {
  return message.startsWith("Excessive alias count")
    ? "the aliases in it stand for too much. Write these parts out."
    : message;
}

/** The stubs of a file's content. Throws InputError that names the field. */
function stubsIn(content: unknown): readonly Stub[] {
  if (!isObject(content) || !Array.isArray(content.stubs))
    throw new InputError(
      "",
      "must be an object with a list of stubs, such as stubs: [{ method: GET, path: /a, response: {} }]",
    );
  const unknown = Object.keys(content).find((name) => name !== "stubs" && name !== "$schema");
  if (unknown !== undefined) throw new InputError(unknown, `is not a known field.${suggestion(unknown, ["stubs"])}`);
  createBackend({ seed: {}, stubs: content.stubs });
  return content.stubs;
}

/** Where a field stands in a document, or else the closest part that contains it. */
function offsetOf(document: Document.Parsed, field: string): number {
  const keys = field.match(/[^.[\]]+/g) ?? [];
  for (let count = keys.length; count > 0; count -= 1) {
    const node: unknown = document.getIn(keys.slice(0, count), true);
    if (isObject(node) && Array.isArray(node.range)) return Number(node.range[0]);
  }
  return 0;
}
