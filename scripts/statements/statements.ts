// Compares what the texts and assumed keywords of openapi/ state with packages/contract/src/facts/statements.txt.
import { globSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { quantitiesIn, tellingWords } from "./words.ts";

/** What a text or the keywords of a node state. */
export interface Statement {
  /** The node: the file, and the keys that lead to it. */
  readonly place: string;
  /** The words that decide what it states, or the keywords with their values. */
  readonly says: string;
  /** The assumption that the node, or one around it, is marked with. */
  readonly mark: string | undefined;
  /** Whether it stands in an addition to the specification, which needs no fact. */
  readonly isBeyond: boolean;
}

/** A row of statements.txt: a statement and the facts that it is taken from. */
export interface StatementFact {
  readonly place: string;
  /** Sections and assumptions, or `code` for the name of the error code, or `example` for the example that it describes. */
  readonly sources: readonly string[];
  readonly says: string;
}

/** The table of facts. */
export const factsFile = new URL("../../packages/contract/src/facts/statements.txt", import.meta.url);

/** Reads the table. Throws for a row of another form. */
export function readStatementFacts(table: string): StatementFact[] {
  return table.split("\n").flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    const [place, sources, says, ...rest] = line.split(" ¦ ");
    const isCited = sources
      ?.split(", ")
      .every((source) => /^(?:§[\d.]+|A-\d+|code|example|ours|\S+ = .+)$/.test(source));
    if (!place || !sources || !isCited || !says || rest.length > 0)
      throw new Error(`Line ${index + 1} must be "place ¦ sources ¦ what it says", not: ${line}`);
    return [{ place, sources: sources.split(", "), says }];
  });
}

/** Keys with a text of the document. */
const textKeys: ReadonlySet<string> = new Set(["description", "summary", "meaning", "advice", "explain", "when"]);
/** Nodes whose values are texts. */
const textNodes: ReadonlySet<string> = new Set(["causes", "x-extensions"]);
/** Keys that a place leaves out. */
const dullKeys: ReadonlySet<string> = new Set([
  ...["collection", "content", "application/json", "properties", "components", "groups", "codes", "description"],
]);
/** Keys that state nothing: names of ours, and examples, which are compared with their schemas. */
const ignoredKeys: ReadonlySet<string> = new Set([
  ...["value", "example", "x-sdk", "operationId", "x-assumption", "license", "externalDocs", "servers"],
]);

/** Keys of which each value is an assumption, or a choice of ours. */
const assumedKeys = ["x-scope", "x-open-enum", "mock", "effect", "onDemand", "general"];

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): boolean => !isNode(value) && !(Array.isArray(value) && value.some(isNode));

const placeOf = (file: string, keys: readonly string[]): string =>
  [file, ...keys.filter((key) => !dullKeys.has(key))].join(" ");

/** The keywords of a node, e.g. `type integer; minimum 1`. */
function keywordsOf(node: Node): string {
  const stated = Object.entries(node).filter(
    ([key, value]) => isPlain(value) && !textKeys.has(key) && !ignoredKeys.has(key) && key !== "tags",
  );
  return stated.map(([key, value]) => `${key} ${[value].flat().map(String).join(" ")}`).join("; ");
}

/** The parts of a text that state something: of an advice, which is ours, only its quantities. */
const saidBy = (key: string, text: string): string =>
  (key === "advice" ? quantitiesIn(text) : tellingWords(text)).join(" ");

interface Position {
  readonly file: string;
  readonly keys: readonly string[];
  readonly mark: string | undefined;
  readonly isBeyond: boolean;
}

function* statementsBelow(value: unknown, at: Position): Generator<Statement> {
  const { file, keys } = at;
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      const name = isNode(one) && typeof one.name === "string" ? one.name : String(index);
      yield* statementsBelow(one, { ...at, keys: keys.at(-1) === "groups" ? keys : [...keys, name] });
    }
    return;
  }
  if (!isNode(value)) return;
  const mark = typeof value["x-assumption"] === "string" ? value["x-assumption"] : at.mark;
  const isBeyond = at.isBeyond || value["x-beyond-specification"] === true;
  const keywords = keywordsOf(value);
  const isAssumed = mark !== undefined || assumedKeys.some((key) => key in value);
  if (isAssumed && keywords !== "" && !keys.includes("examples") && !textNodes.has(keys.at(-1) ?? ""))
    yield { place: `${placeOf(file, keys)} =`, says: keywords, mark, isBeyond };
  for (const [key, child] of Object.entries(value)) {
    if (ignoredKeys.has(key)) continue;
    const isText = typeof child === "string" && (textKeys.has(key) || textNodes.has(keys.at(-1) ?? ""));
    const says = isText ? saidBy(key, child) : "";
    if (says !== "") yield { place: placeOf(file, [...keys, key]), says, mark: undefined, isBeyond };
    yield* statementsBelow(child, { file, keys: [...keys, key], mark, isBeyond });
  }
}

/** The statements of files by their text: many copies of openapi/ differ in one file. */
const known = new Map<string, readonly Statement[]>();

function statementsOf(file: string, text: string): readonly Statement[] {
  const key = `${file}\n${text}`;
  const document: unknown = known.has(key) ? undefined : parse(text, { merge: true });
  const found = known.get(key) ?? [...statementsBelow(document, { file, keys: [], mark: undefined, isBeyond: false })];
  known.set(key, found);
  return found;
}

/** Everything that the documents in a folder state, without the control plane, which the specification does not have. */
export function statementsIn(folder: URL): Statement[] {
  const files = globSync("{*,paths/*,schemas/*}.yaml", { cwd: folder }).filter((path) => path !== "redocly.yaml");
  return files.toSorted().flatMap((path) => {
    const file = path.replace(/^schemas\/|\.yaml$/g, "");
    return statementsOf(file, readFileSync(new URL(path, folder), "utf8"));
  });
}

const remedy =
  "Correct openapi/, or statements.txt in packages/contract/src/facts/ with the fact that it is taken from.";

/** What openapi/ states otherwise than the facts, without a fact, or no longer. One sentence each. */
export function wrongStatements(statements: readonly Statement[], facts: readonly StatementFact[]): string[] {
  const rows = new Map(facts.map((fact) => [fact.place, fact]));
  const found = new Set(statements.map(({ place }) => place));
  const differing = statements
    .filter(({ isBeyond }) => !isBeyond)
    .flatMap(({ place, says, mark }) => {
      const fact = rows.get(place);
      if (!fact) return [`openapi/: ${place} states "${says}", for which there is no fact. ${remedy}`];
      if (fact.says !== says)
        return [`openapi/: ${place} states "${says}"; ${fact.sources.join(", ")} says "${fact.says}". ${remedy}`];
      if (mark !== undefined && !fact.sources.includes(mark))
        return [`openapi/: ${place} is marked ${mark}, and its fact is from ${fact.sources.join(", ")}. ${remedy}`];
      return [];
    });
  const gone = facts.filter(({ place }) => !found.has(place));
  return [...differing, ...gone.map(({ place, says }) => `openapi/: ${place} does not state "${says}". ${remedy}`)];
}
