// Writes one wrong fact at a time into a copy of openapi/. The comparison with the specification must catch each:
// npm run lab -- mutants facts
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ContractDocument, contradictions } from "../../packages/contract/targets/contradictions.ts";
import {
  bundleDocument,
  type CodeTable,
  expand,
  type OpenApiDocument,
  openapiFolder,
  readCodeTable,
} from "../../scripts/generate/read/document.ts";
import { factsFile, readStatementFacts, statementsIn, wrongStatements } from "../../scripts/statements.ts";

/** A text of openapi/ and what replaces it. */
interface WrongFact {
  readonly name: string;
  /** The file, below openapi/. */
  readonly file: string;
  readonly text: string;
  readonly wrong: string;
}

const lines = (text: string): string => text.replaceAll("\\n", "\n");

/** Reads a table: `name ¦ file ¦ text ¦ wrong text`. `= text` starts a group, `#` a comment. */
function readWrongFacts(table: string): WrongFact[] {
  return table.split("\n").flatMap((line, index) => {
    if (line === "" || line.startsWith("#") || line.startsWith("= ")) return [];
    const [name, file, text, wrong, ...rest] = line.split("¦").map((cell) => cell.trim());
    if (!name || !file || !text || wrong === undefined || rest.length > 0)
      throw new Error(`Line ${index + 1} of the table must be "name ¦ file ¦ text ¦ wrong text", not: ${line}`);
    return [{ name, file, text: lines(text), wrong }];
  });
}

const literally = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\\{n\\}", String.raw`(?<n>\d+)`);

/**
 * A file with the wrong text at its first place, or at the first behind an anchor. Throws if the text is not there. `{n}` stands
 * for any number in the text, and `{n+1}` for that number and one in the wrong text.
 */
export function withWrongFact({ name, file, text, wrong }: WrongFact, source: string): string {
  const [anchor, target] = text.includes(" … ") ? (text.split(" … ") as [string, string]) : ["", text];
  const start = source.indexOf(anchor) + anchor.length;
  const found = new RegExp(literally(target)).exec(source.slice(start));
  if (start < anchor.length || found === null) throw new Error(`${name}: openapi/${file} does not contain: ${text}`);
  const at = start + found.index;
  const indent = /^ */.exec(source.slice(source.lastIndexOf("\n", at) + 1, at))?.[0] ?? "";
  const replacement = wrong
    .replaceAll(/\{n\+(\d+)\}/g, (_, more: string) => String(Number(found.groups?.n) + Number(more)))
    .replaceAll("\\n", `\n${indent}`);
  return source.slice(0, at) + replacement + source.slice(at + found[0].length);
}

const folder = fileURLToPath(openapiFolder);
const statementFacts = readStatementFacts(readFileSync(factsFile, "utf8"));

/** The rows of wrong-facts.txt. */
export const wrongFacts = readWrongFacts(readFileSync(new URL("wrong-facts.txt", import.meta.url), "utf8"));

/** The sentence of a comparison that catches what a copy of openapi/ says; undefined if none does. */
function sentenceAbout(document: OpenApiDocument, codes: CodeTable, copy: URL): string | undefined {
  const [sentence] = contradictions(expand(document, codes) as unknown as ContractDocument);
  return sentence ?? wrongStatements(statementsIn(copy), statementFacts)[0];
}

/**
 * Tries the rows whose name contains a text in a temporary copy of openapi/, and prints what caught each. Returns whether all were
 * caught: a crash catches nothing.
 */
export async function checkWrongFacts(only: string): Promise<boolean> {
  const chosen = wrongFacts.filter(({ name }) => name.includes(only));
  const correct = { document: await bundleDocument(), codes: readCodeTable() };
  const copy = mkdtempSync(join(tmpdir(), "call-transfer-facts-"));
  const copyUrl = pathToFileURL(`${copy}/`);
  let missed = 0;
  try {
    cpSync(folder, copy, { recursive: true });
    for (const fact of chosen) {
      const source = readFileSync(join(folder, fact.file), "utf8");
      writeFileSync(join(copy, fact.file), withWrongFact(fact, source));
      const isCode = fact.file === "error-codes.yaml";
      // What the row leaves unchanged is not read again. A file that cannot be read is a mistake of the row.
      const document = isCode ? structuredClone(correct.document) : await bundleDocument(copyUrl);
      const codes = isCode ? readCodeTable(copyUrl) : structuredClone(correct.codes);
      let outcome = "SURVIVED";
      try {
        const sentence = sentenceAbout(document, codes, copyUrl);
        if (sentence !== undefined) outcome = `caught: ${sentence}`;
      } catch (error) {
        outcome = `CRASHED: ${error}`;
      }
      if (!outcome.startsWith("caught")) missed += 1;
      console.log(`${fact.name}: ${outcome}`);
      writeFileSync(join(copy, fact.file), source);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`${chosen.length - missed} caught, ${missed} survived or crashed`);
  return missed === 0;
}
