import { createBackend, InputError, type Stub } from "@call-transfer/backend";
import type { Document } from "yaml";
import { isObject, readText, suggestion, UsageError } from "./values.ts";

/** Reads the stubs of a YAML or JSON file. Throws UsageError that names the option, the file and the line, and the wrong field. */
export async function readStubs(option: string, path: string): Promise<readonly Stub[]> {
  const text = readText(option, path);
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const errorAt = (offset: number, message: string): UsageError =>
    new UsageError(`${option} ${path}:${lines.linePos(offset).line}: ${message}`);
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) throw errorAt(wrong.pos[0], `not valid YAML: ${wrong.message}`);
  try {
    return stubsIn(document.toJS());
  } catch (error) {
    // The parser refuses aliases that stand for too much.
    if (!(error instanceof InputError)) throw errorAt(0, (error as Error).message);
    // YAML reads 5 as a number.
    const advice = /must be a text, not -?\d[\d.]*$/.test(error.message) ? ". Put it in quotes." : "";
    throw errorAt(offsetOf(document, error.field), `${error.message}${advice}`);
  }
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
