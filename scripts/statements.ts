// Compares the numbers, units, orders and directions in the texts of openapi/, and its assumed keywords, with
// scripts/statements.txt, and the rows of that table with the text that each cites.
import { globSync, readFileSync } from "node:fs";
import { parse } from "yaml";

const listOf = (text: string): string[] => text.trim().split(/\s+/);

/** Numbers, units and comparisons. */
const quantities = `
  two three four five six seven eight nine ten once twice half third daily
  millisecond second minute hour day week month year byte kib mib gib utf iso character digit am pm utc unix midnight noon
  most least more less fewer greater lower longer shorter sooner larger smaller maximum minimum
  exactly inclusive exclusive default within between`;

/** Orders, times and directions. */
const directions = `
  first last newest oldest latest earliest next previous early late new old
  before after until since later earlier now past current present
  above below inside outside beyond over under low high large long short enough from`;

const digits = listOf("zero one two three four five six seven eight nine ten");

/** A word in one form: lower case, without the plural or genitive, a number in digits. */
function formOf(word: string): string {
  const plain = word.toLowerCase().replace(/'s?$/, "");
  const digit = digits.indexOf(plain);
  return digit > 1 ? String(digit) : plain.replace(/(?<=\w{3})(?<!s|u|way)s$/, "");
}

const formsOf = (...lists: string[]): ReadonlySet<string> => new Set(lists.flatMap(listOf).map(formOf));
const quantifying = formsOf(quantities);
const measuring = formsOf(quantities, directions);

const isNumber = (word: string): boolean => /^\d/.test(word);
/** Whether a word is a name in code, or a limit of the contract such as `$maximum`. */
const isCode = (word: string): boolean => /^[`$]/.test(word);

/** Names in code, limits, and the words of a text in one form. Citations such as §4.2 and A-5 are left out. */
const wordsIn = (text: string): string[] =>
  (
    text.replaceAll(/§\d+(?:\.\d+)*|\bA-\d+/g, " ").match(/`[^`]+`|\$\w+|\d+(?:\.\d+)*|[A-Za-z](?:['-]?[A-Za-z])*/g) ??
    []
  ).map((word) => (isCode(word) ? word : formOf(word)));

/** Whether a word is a number, a unit, an order or a direction, which a source must contain. */
const isMeasure = (word: string): boolean => isNumber(word) || measuring.has(word);

/** The numbers, units, orders and directions of a text, in its order. Empty for a text that has none. */
export const measuresIn = (text: string): string[] => {
  const words = wordsIn(text).filter((word) => isCode(word) || isMeasure(word));
  return words.some((word) => word.startsWith("$") || isMeasure(word)) ? words : [];
};

/** Its numbers, units and comparisons. */
const quantitiesIn = (text: string): string[] =>
  wordsIn(text).filter((word) => isNumber(word) || word.startsWith("$") || quantifying.has(word));

/** Every word of a source, also those that names in code such as `totalTimeoutSecs` consist of. */
const everyWordIn = (text: string): ReadonlySet<string> =>
  new Set(
    [/\d+(?:\.\d+)*|[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g, /[A-Za-z]+/g].flatMap((form) => text.match(form) ?? []).map(formOf),
  );

/** What a text or the keywords of a node state. */
export interface Statement {
  /** The node: the file, and the keys that lead to it. */
  readonly place: string;
  /** Its numbers, units, orders and directions, or the keywords with their values. */
  readonly says: string;
  /** The assumption that the node, or one around it, is marked with. */
  readonly mark: string | undefined;
  /** Whether it stands in an addition to the specification, which needs no fact. */
  readonly isBeyond: boolean;
}

/** A row of statements.txt: a statement and the facts that it is taken from. */
export interface StatementFact {
  readonly place: string;
  /** Sections and assumptions, or `code` for the name of the error code, or `ours`. */
  readonly sources: readonly string[];
  readonly says: string;
}

/** The table of facts. */
export const factsFile = new URL("statements.txt", import.meta.url);

/** Reads the table. Throws for a row of another form. */
export function readStatementFacts(table: string): StatementFact[] {
  return table.split("\n").flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    const [place, sources, says, ...rest] = line.split(" ¦ ");
    const isCited = sources?.split(", ").every((source) => /^(?:§[\d.]+|A-\d+|code|ours|\S+ = .+)$/.test(source));
    if (!place || !sources || !isCited || !says || rest.length > 0)
      throw new Error(`Line ${index + 1} must be "place ¦ sources ¦ what it says", not: ${line}`);
    return [{ place, sources: sources.split(", "), says }];
  });
}

/** Keys with a text of the document. */
const textKeys: ReadonlySet<string> = new Set(["description", "summary", "meaning", "advice", "explain", "when"]);
/** The node whose values are texts. */
const textNode = "causes";
/** Keys that a place leaves out. */
const dullKeys: ReadonlySet<string> = new Set([
  ...["collection", "content", "application/json", "properties", "components", "groups", "codes", "description"],
]);
/** Keys that state no fact of the API: names, links and explanations of ours, and examples, which are compared with their schemas. */
const ignoredKeys: ReadonlySet<string> = new Set([
  ...["value", "example", "examples", "links", "x-sdk", "x-extensions", "operationId", "x-assumption", "license"],
  ...["externalDocs", "servers"],
]);

/** Keys of which each value is an assumption, or a choice of ours. */
const assumedKeys = ["x-scope", "x-open-enum", "mock", "effect", "faultOnly", "general"];

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
  (key === "advice" ? quantitiesIn(text) : measuresIn(text)).join(" ");

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
  if (isAssumed && keywords !== "" && keys.at(-1) !== textNode)
    yield { place: `${placeOf(file, keys)} =`, says: keywords, mark, isBeyond };
  for (const [key, child] of Object.entries(value)) {
    if (ignoredKeys.has(key)) continue;
    const isText = typeof child === "string" && (textKeys.has(key) || keys.at(-1) === textNode);
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

const remedy = "Correct openapi/, or scripts/statements.txt with the fact that it is taken from.";

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

/** The text of a page behind an anchor: a section without its subsections, or a rule. */
function partAt(page: string, anchor: string): string {
  const start = page.indexOf(`<a id="${anchor}"></a>`);
  if (start < 0) throw new Error(`docs/ has no anchor ${anchor}. Correct the sources in statements.txt.`);
  const isRule = /^\d+\. $/.test(page.slice(page.lastIndexOf("\n", start) + 1, start));
  const end = page.slice(start).search(isRule ? /\n(?:\d+\. |\n(?! ))/ : /\n#+ <a id=/);
  return page.slice(start, end < 0 ? undefined : start + end);
}

/** The pages that facts cite. */
export interface Pages {
  readonly specification: string;
  readonly assumptions: string;
}

/** The text that a source stands for. `code` is the name of the error code in the place. */
function textOf(source: string, place: string, pages: Pages): string {
  if (source === "code") return place.replaceAll("_", " ");
  if (source.startsWith("§")) {
    const part = partAt(pages.specification, `s${source.slice(1).replaceAll(".", "-")}`);
    const code = /^error-codes (?:fieldCodes )?(\w+) /.exec(place)?.[1];
    const rows = part
      .split("\n")
      .filter((line) => code === undefined || !line.startsWith("|") || line.includes(`\`${code}\``));
    return rows.join("\n");
  }
  return /.*/.exec(pages.assumptions.slice(pages.assumptions.indexOf(`<a id="${source.toLowerCase()}">`)))?.[0] ?? "";
}

/** A source that says a word of the statement in other words: `later = inclusive lower bound`. */
const otherWords = / = /;

/** The numbers, units, orders and directions of facts that their sources do not contain. One sentence each. */
export function unfoundMeasures(facts: readonly StatementFact[], pages: Pages): string[] {
  return facts.flatMap(({ place, sources, says }) => {
    // Words that state no fact of the API have no text in a page.
    if (sources.includes("ours")) return [];
    const cited = sources.filter((source) => !otherWords.test(source));
    const text = cited
      .map((source) => textOf(source, place, pages))
      .join(" ")
      .replaceAll(/\s+/g, " ");
    const renamed = new Map(
      sources.filter((one) => otherWords.test(one)).map((one) => one.split(otherWords) as [string, string]),
    );
    const known = everyWordIn(text);
    const words = place.endsWith(" =")
      ? (says.replace(/pattern [^;]*/, "").match(/\d+/g) ?? [])
      : says.split(" ").filter(isMeasure);
    return words
      .filter((word) => !known.has(word) && !text.toLowerCase().includes(renamed.get(word) ?? "\0"))
      .map((word) => `${place} states "${word}", which ${cited.join(", ")} does not. Cite what does.`);
  });
}
