// Compares two versions of the Python client, as packages/python/surface.json shows them: what do the changes mean for programs?
import { type Change, change, changeIf, compareNamed, merged } from "../change.ts";
import { isEqual, type JsonObject, listDifference, listIn, mapIn, objectIn, stable } from "../json.ts";
import type { Flow } from "./declarations.ts";
import { comparePythonTypes, pythonFlows } from "./python-types.ts";

type Declarations = ReadonlyMap<string, JsonObject>;

const declarationsIn = (surface: JsonObject): Declarations =>
  new Map([...mapIn(surface.declarations)].map(([name, facts]) => [name, objectIn(facts)]));

/** Every change between two surfaces. A text that is empty was not recorded: there is nothing to compare. */
export function comparePython(before: string, after: string): Change[] {
  if (before === "") return [];
  if (after === "") return [change("major", "the Python client", "was removed")];
  const [was, is] = [objectIn(JSON.parse(before) as unknown), objectIn(JSON.parse(after) as unknown)];
  const [old, now] = [declarationsIn(was), declarationsIn(is)];
  const flowOf = pythonFlows(now);
  const kept = [...old].flatMap(([name, facts]) => {
    const other = now.get(name);
    return other ? compareDeclarations(name, facts, other, { old, now, flow: flowOf(name) }) : [];
  });
  return merged([
    ...compareInstallations(objectIn(was.installation), objectIn(is.installation)),
    ...compareLists(was.pytest, is.pytest, "fixture"),
    ...compareValues(was.defaults, is.defaults, "default"),
    ...compareNamed(mapIn(was.modules), mapIn(is.modules), {
      removed: (module) => change("major", module, "the module was removed"),
      added: (module) => change("minor", module, "the module was added"),
      kept: (one, other, module) => compareLists(one, other, module),
    }),
    ...kept,
  ]);
}

function compareLists(was: unknown, is: unknown, what: string): Change[] {
  const { added, removed } = listDifference(listIn(was).map(String), listIn(is).map(String));
  return [
    ...removed.map((name) => change("major", `${what} ${name}`, "was removed")),
    ...added.map((name) => change("minor", `${what} ${name}`, "was added")),
  ];
}

/** Compares values that programs rely on. */
const compareValues = (was: unknown, is: unknown, what: string): Change[] =>
  compareNamed(mapIn(was), mapIn(is), {
    removed: (name) => change("major", `${what} ${name}`, "was removed"),
    added: (name) => change("minor", `${what} ${name}`, "was added"),
    kept: (old, now, name) =>
      changeIf(!isEqual(old, now), "major", `${what} ${name}`, `${stable(old)} is now ${stable(now)}`),
  });

/** Compares what a package needs: the version of Python, dependencies, extras and entry points. */
function compareInstallations(was: JsonObject, is: JsonObject): Change[] {
  const [oldest, newOldest] = [was, is].map(({ python }) => /^>=\s*([\d.]+)$/.exec(String(python))?.[1]);
  const accepts =
    oldest !== undefined && newOldest !== undefined && newOldest.localeCompare(oldest, "en", { numeric: true }) < 0;
  const moved = `${String(was.python)} is now ${String(is.python)}`;
  const named = (what: string, one: unknown, other: unknown): Change[] =>
    compareNamed(mapIn(one), mapIn(other), {
      removed: (name) => change("major", `${what} ${name}`, "was removed"),
      added: (name) => change("minor", `${what} ${name}`, "was added"),
      kept: (old, now, name) => changeIf(!isEqual(old, now), "patch", `${what} ${name}`, "changed"),
    });
  return [
    ...changeIf(was.python !== is.python, accepts ? "minor" : "major", "requires-python", moved),
    ...changeIf(!isEqual(was.dependencies, is.dependencies), "patch", "dependencies", "changed"),
    ...named("extra", was.extras, is.extras),
    ...named("entry point", was["entry points"], is["entry points"]),
  ];
}

/** Equal also in the order of parameters. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Context {
  readonly old: Declarations;
  readonly now: Declarations;
  /** Which way the values of the declaration flow. */
  readonly flow: Flow;
}

function compareDeclarations(name: string, was: JsonObject, is: JsonObject, context: Context): Change[] {
  if (isSame(was, is)) return [];
  if (was.kind !== is.kind && !areAttributes(was, is))
    return [change("major", name, `${String(was.kind)} is now ${String(is.kind)}`)];
  if (was.kind === "protocol" && !isSame(was.members, is.members)) return compareProtocols(name, was, is);
  if (was.members === undefined || is.members === undefined) return compareMember(was, is, name, context.flow);
  return [...compareBases(name, was, is, context), ...compareMembers(name, was, is, context)];
}

/** A property reads as an attribute does. */
const areAttributes = (was: JsonObject, is: JsonObject): boolean =>
  [was.kind, is.kind].every((kind) => kind === "attribute" || kind === "property");

/** Programs implement protocols, so whatever changes may part them from it. */
const compareProtocols = (name: string, was: JsonObject, is: JsonObject): Change[] =>
  compareNamed(mapIn(was.members), mapIn(is.members), {
    removed: (member) => change("major", `${name}.${member}`, "was removed"),
    added: (member) => change("major", `${name}.${member}`, "was added, and programs that implement it must have it"),
    kept: (old, now, member) =>
      changeIf(!isSame(old, now), "major", `${name}.${member}`, "changed, and programs implement it"),
  });

/** Everything that an instance of a class also is: its bases and theirs. */
function ancestorsOf(facts: JsonObject, declarations: Declarations): string[] {
  const bases = listIn(facts.bases).map(String);
  return [...new Set(bases.flatMap((base) => [base, ...ancestorsOf(declarations.get(base) ?? {}, declarations)]))];
}

/** `except` and `isinstance` accept an instance by its bases. */
function compareBases(name: string, was: JsonObject, is: JsonObject, { old, now }: Context): Change[] {
  if (isEqual(was.bases, is.bases)) return [];
  const { added, removed } = listDifference(ancestorsOf(was, old), ancestorsOf(is, now));
  return [
    ...removed.map((base) => change("major", name, `is no longer a ${base}`)),
    ...added.map((base) => change("minor", name, `is now also a ${base}`)),
  ];
}

/** The members of a class, with those of its bases. */
const membersOf = (facts: JsonObject, declarations: Declarations): ReadonlyMap<string, unknown> =>
  new Map([
    ...ancestorsOf(facts, declarations).flatMap((base) => [...mapIn(declarations.get(base)?.members)]),
    ...mapIn(facts.members),
  ]);

/** A member that has moved to a base is still there. */
function compareMembers(name: string, was: JsonObject, is: JsonObject, { old, now, flow }: Context): Change[] {
  const [all, others] = [membersOf(was, old), membersOf(is, now)];
  const kept = [...mapIn(was.members)].flatMap(([member, facts]): Change[] => {
    const place = `${name}.${member}`;
    if (!others.has(member)) return [change("major", place, "was removed")];
    return compareMember(objectIn(facts), objectIn(others.get(member)), place, flow, { old, now, flow });
  });
  const added = [...mapIn(is.members)].filter(([member]) => !all.has(member));
  return [
    ...kept,
    ...added.map(([member, facts]) => {
      const isMissed = objectIn(facts).required === true && flow !== "out";
      return isMissed
        ? change("major", `${name}.${member}`, "was added, and programs must provide it")
        : change("minor", `${name}.${member}`, "was added");
    }),
  ];
}

function compareMember(was: JsonObject, is: JsonObject, place: string, flow: Flow, context?: Context): Change[] {
  if (was.kind !== is.kind && !areAttributes(was, is))
    return [change("major", place, `${String(was.kind)} is now ${String(is.kind)}`)];
  if (was.members !== undefined && context) return compareMembers(place, was, is, context);
  if (was.parameters !== undefined)
    return [
      ...compareParameters(mapIn(was.parameters), mapIn(is.parameters), place),
      ...comparePythonTypes(was.returns, is.returns, place, "out"),
    ];
  const isKey = was.kind === "key" || was.kind === "alias";
  const safe = is.required === true ? "out" : "in";
  return [
    ...changeIf(
      was.required !== is.required,
      flow === safe ? "minor" : "major",
      place,
      `is now ${is.required === true ? "required" : "optional"}`,
    ),
    ...comparePythonTypes(was.type, is.type, place, isKey ? flow : "out"),
  ];
}

type Parameters = ReadonlyMap<string, unknown>;

const isPositional = (facts: unknown): boolean => ["positional", "either"].includes(String(objectIn(facts).kind));

const positionalIn = (parameters: Parameters): string[] =>
  [...parameters].flatMap(([name, facts]) => (isPositional(facts) ? [name] : []));

/** Callers may leave out what has a default, name what is not positional alone, and count on the order of the others. */
function compareParameters(was: Parameters, is: Parameters, place: string): Change[] {
  const [order, newOrder] = [positionalIn(was), positionalIn(is)];
  const moved = order.filter((name, at) => newOrder.includes(name) && newOrder.indexOf(name) !== at);
  return [
    ...compareNamed(was, is, {
      removed: (name) => change("major", `${place}(${name})`, "the parameter was removed"),
      added: (name, facts) => {
        const { default: usual, kind } = objectIn(facts);
        const isOptional = usual !== undefined || String(kind).startsWith("rest");
        const what = `${isOptional ? "an optional" : "a required"} parameter was added`;
        return change(isOptional ? "minor" : "major", `${place}(${name})`, what);
      },
      kept: (one, other, name) => compareParameter(objectIn(one), objectIn(other), `${place}(${name})`),
    }),
    ...moved.map((name) => change("major", `${place}(${name})`, "the parameter has another position")),
  ];
}

function compareParameter(was: JsonObject, is: JsonObject, place: string): Change[] {
  const wider = was.kind !== is.kind && is.kind === "either";
  const [usual, newUsual] = [was.default, is.default];
  const defaults =
    usual === undefined
      ? "the parameter is now optional"
      : newUsual === undefined
        ? "the parameter is now required"
        : `its default ${String(usual)} is now ${String(newUsual)}`;
  return [
    ...changeIf(
      was.kind !== is.kind,
      wider ? "minor" : "major",
      place,
      `${String(was.kind)} is now ${String(is.kind)}`,
    ),
    ...changeIf(usual !== newUsual, usual === undefined ? "minor" : "major", place, defaults),
    ...comparePythonTypes(was.type, is.type, place, "in"),
  ];
}
