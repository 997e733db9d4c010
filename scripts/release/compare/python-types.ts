// Types of the Python client as text, and which way the values of each named one flow.
import { type Change, change } from "../change.ts";
import { type JsonObject, listDifference, mapIn, objectIn } from "../json.ts";
import { type Flow, opposite } from "./declarations.ts";

/** Splits at a separator that no bracket or quote encloses. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (const [at, letter] of [...text].entries()) {
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if ("[({".includes(letter)) depth += 1;
    else if ("])}".includes(letter)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim());
}

/** The alternatives of a union; a Literal has one for each value. */
const partsOf = (type: string): string[] =>
  splitOutside(type, "|").flatMap((part) => {
    const values = /^Literal\[(.*)\]$/.exec(part)?.[1];
    return values === undefined ? [part] : splitOutside(values, ",").map((value) => `Literal[${value}]`);
  });

/** Compares two types. One that is missing is held by the contract, or was never written. */
export function comparePythonTypes(was: unknown, is: unknown, place: string, flow: Flow): Change[] {
  if (was === is) return [];
  if (typeof was !== "string" || typeof is !== "string")
    return [change("major", place, `${String(was ?? "no type")} is now ${String(is ?? "no type")}`)];
  const { added, removed } = listDifference(partsOf(was), partsOf(is));
  if (added.length === 0 && removed.length === 0) return [];
  if (added.length > 0 && removed.length > 0) return [change("major", place, `${was} is now ${is}`)];
  if (removed.length > 0) {
    const isPromised = flow === "out" && removed.every((part) => part === "None");
    return [change(isPromised ? "minor" : "major", place, `no longer ${removed.join(" | ")}`)];
  }
  // A list of values that also allows any text may gain values at any time.
  const isOpen = added.every((part) => part.startsWith("Literal[")) && partsOf(was).includes("str");
  return [change(flow === "in" || isOpen ? "minor" : "major", place, `now also ${added.join(" | ")}`)];
}

/** The names in a type, each with the way that its values flow: a callback gets what it is called with. */
function namesIn(type: string, flow: Flow): [string, Flow][] {
  const taken = [...type.matchAll(/Callable\[\[([^\]]*)\]/g)].map(([, names = ""]) => names).join(" ");
  const rest = type.replaceAll(/Callable\[\[[^\]]*\]/g, "");
  const words = (text: string): string[] => text.match(/\w+/g) ?? [];
  return [
    ...words(taken).map((name): [string, Flow] => [name, opposite(flow)]),
    ...words(rest).map((name): [string, Flow] => [name, flow]),
  ];
}

/**
 * Finds out which way the values of aliases and dictionaries flow: parameters flow in, results and attributes out. Programs
 * implement a protocol, so there it is the reverse. A name that nothing leads to, or both ways, is "both".
 */
export function pythonFlows(declarations: ReadonlyMap<string, JsonObject>): (name: string) => Flow {
  const flows = new Map<string, Set<Flow>>();
  const visit = (type: unknown, flow: Flow): void => {
    if (typeof type === "string") for (const [name, reached] of namesIn(type, flow)) reach(name, reached);
  };
  const reach = (name: string, flow: Flow): void => {
    const found = declarations.get(name);
    const known = flows.get(name) ?? new Set();
    if ((found?.kind !== "alias" && found?.kind !== "dictionary") || known.has(flow)) return;
    flows.set(name, known.add(flow));
    visit(found.type, flow);
    for (const member of mapIn(found.members).values()) visit(objectIn(member).type, flow);
  };
  const start = (facts: JsonObject, flow: Flow): void => {
    for (const parameter of mapIn(facts.parameters).values()) visit(objectIn(parameter).type, opposite(flow));
    visit(facts.returns ?? facts.type, flow);
    for (const member of mapIn(facts.members).values()) start(objectIn(member), flow);
  };
  for (const facts of declarations.values())
    if (facts.kind !== "alias" && facts.kind !== "dictionary") start(facts, facts.kind === "protocol" ? "in" : "out");
  return (name) => {
    const [flow = "both", ...others] = flows.get(name) ?? [];
    return others.length === 0 ? flow : "both";
  };
}
