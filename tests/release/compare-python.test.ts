import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { comparePython } from "../../scripts/release/compare/python.ts";

const parameter = (facts: object) => ({ kind: "keyword", type: "str", ...facts });
const method = <P extends object>(parameters: P, returns = "Call | None") => ({
  kind: "function",
  parameters,
  returns,
});
const key = (type: string, required: boolean) => ({ kind: "key", type, required });
const dictionary = (members: object) => ({ kind: "dictionary", bases: ["TypedDict"], members });

const declarations = {
  Client: {
    kind: "class",
    members: {
      __init__: method({
        timeout: parameter({ type: "float", default: "60.0" }),
        options: parameter({ type: "Options" }),
      }),
      create: method({ flow: parameter({ kind: "either" }), to: parameter({ kind: "either" }), note: parameter({}) }),
      events: method({}, "list[Event]"),
      status: { kind: "property", type: "Literal['ringing', 'done'] | str" },
      kind: { kind: "attribute", type: "Kind" },
    },
  },
  Kind: { kind: "alias", type: "Literal['one', 'two']" },
  Options: dictionary({ max: key("int", false), name: key("str", true) }),
  Event: dictionary({ id: key("str", true) }),
  Store: { kind: "protocol", bases: ["Protocol"], members: { claim: method({ id: parameter({}) }, "bool") } },
  BaseError: { kind: "error", bases: ["Exception"], members: { code: { kind: "attribute", type: "str" } } },
  LimitError: { kind: "error", bases: ["BaseError"], members: { wait: { kind: "attribute", type: "float | None" } } },
};
const surface = {
  installation: {
    python: ">=3.11",
    dependencies: ["a>=1"],
    extras: { redis: ["redis>=6"] },
    "entry points": { "pytest11 p": "m" },
  },
  pytest: ["call_transfer"],
  defaults: { maxRetries: "2" },
  modules: { call_transfer: ["Client", "Kind"] },
  declarations,
};
type Surface = typeof surface;

/** The changes after an edit of the surface's text. */
function changesAfter(from: string, to: string, text = JSON.stringify(surface)): string[] {
  expect(text).toContain(from);
  return comparePython(
    text,
    text.replace(from, () => to),
  ).map((each) => `${each.bump} ${each.place}: ${each.message}`);
}

const json = (value: object): string => JSON.stringify(value).slice(1, -1);
const within = (name: keyof Surface["declarations"], members: object): [string, string] => [
  json({ [name]: declarations[name] }),
  json({ [name]: { ...declarations[name], members } }),
];
const { create, ...withoutCreate } = declarations.Client.members;
const withCreate = (parameters: object, returns?: string) =>
  within("Client", { ...declarations.Client.members, create: method(parameters, returns) });
const given = create.parameters;

describe("a change of the Python client", () => {
  it.each<[string, [string, string], string[]]>([
    ["a name that is gone", ['["Client","Kind"]', '["Client"]'], ["major call_transfer Kind: was removed"]],
    ["a new name", ['["Client","Kind"]', '["Client","Kind","New"]'], ["minor call_transfer New: was added"]],
    ["a newer Python", [">=3.11", ">=3.12"], ["major requires-python: >=3.11 is now >=3.12"]],
    ["an older Python", [">=3.11", ">=3.9"], ["minor requires-python: >=3.11 is now >=3.9"]],
    ["another dependency", ["a>=1", "a>=2"], ["patch dependencies: changed"]],
    [
      "a renamed extra",
      ['{"redis":', '{"valkey":'],
      ["major extra redis: was removed", "minor extra valkey: was added"],
    ],
    [
      "a fixture that is gone",
      ['"pytest":["call_transfer"]', '"pytest":[]'],
      ["major fixture call_transfer: was removed"],
    ],
    [
      "another default of an option",
      ['"maxRetries":"2"', '"maxRetries":"3"'],
      ['major default maxRetries: "2" is now "3"'],
    ],
    [
      "another default of a parameter",
      ['"default":"60.0"', '"default":"30.0"'],
      ["major Client.__init__(timeout): its default 60.0 is now 30.0"],
    ],
    [
      "a default that is gone",
      [',"default":"60.0"', ""],
      ["major Client.__init__(timeout): the parameter is now required"],
    ],
    ["a method that is gone", within("Client", withoutCreate), ["major Client.create: was removed"]],
    [
      "a new method",
      within("Client", { ...declarations.Client.members, delete: method({}) }),
      ["minor Client.delete: was added"],
    ],
    [
      "a renamed keyword",
      withCreate({ flow: given.flow, to: given.to, remark: given.note }),
      [
        "major Client.create(note): the parameter was removed",
        "major Client.create(remark): a required parameter was added",
      ],
    ],
    [
      "an optional keyword more",
      withCreate({ ...given, tag: parameter({ default: "None" }) }),
      ["minor Client.create(tag): an optional parameter was added"],
    ],
    [
      "parameters in another order",
      withCreate({ to: given.to, flow: given.flow, note: given.note }),
      [
        "major Client.create(flow): the parameter has another position",
        "major Client.create(to): the parameter has another position",
      ],
    ],
    ["keywords in another order", withCreate({ note: given.note, flow: given.flow, to: given.to }), []],
    [
      "a parameter that must be named",
      withCreate({ ...given, to: parameter({}) }),
      ["major Client.create(to): either is now keyword"],
    ],
    [
      "a keyword that may be given by position",
      withCreate({ ...given, note: parameter({ kind: "either" }) }),
      ["minor Client.create(note): keyword is now either"],
    ],
    [
      "a parameter that takes more",
      withCreate({ ...given, note: parameter({ type: "str | bytes" }) }),
      ["minor Client.create(note): now also bytes"],
    ],
    [
      "a parameter that takes less",
      withCreate({ ...given, note: parameter({ type: "bytes" }) }),
      ["major Client.create(note): str is now bytes"],
    ],
    ["a result that is always there", withCreate(given, "Call"), ["minor Client.create: no longer None"]],
    ["a result of another type", withCreate(given, "Call | None | int"), ["major Client.create: now also int"]],
    [
      "a method that must be awaited",
      within("Client", { ...declarations.Client.members, create: { ...create, kind: "async function" } }),
      ["major Client.create: function is now async function"],
    ],
    [
      "a value more of an open list",
      ["'ringing', 'done'", "'ringing', 'held', 'done'"],
      ["minor Client.status: now also Literal['held']"],
    ],
    [
      "a value more of a closed list that programs receive",
      ["'one', 'two'", "'one', 'two', 'three'"],
      ["major Kind: now also Literal['three']"],
    ],
    [
      "an optional key more that programs give",
      within("Options", { ...declarations.Options.members, min: key("int", false) }),
      ["minor Options.min: was added"],
    ],
    [
      "a required key more that programs give",
      within("Options", { ...declarations.Options.members, min: key("int", true) }),
      ["major Options.min: was added, and programs must provide it"],
    ],
    [
      "a given key that becomes required",
      within("Options", { ...declarations.Options.members, max: key("int", true) }),
      ["major Options.max: is now required"],
    ],
    [
      "a required key more that programs receive",
      within("Event", { id: key("str", true), at: key("str", true) }),
      ["minor Event.at: was added"],
    ],
    [
      "a received key that may be missing",
      within("Event", { id: key("str", false) }),
      ["major Event.id: is now optional"],
    ],
    [
      "a method more of what programs implement",
      within("Store", { ...declarations.Store.members, ping: method({}) }),
      ["major Store.ping: was added, and programs that implement it must have it"],
    ],
    [
      "a base that an error lost",
      [
        json({ LimitError: declarations.LimitError }),
        json({ LimitError: { ...declarations.LimitError, bases: ["Exception"] } }),
      ],
      ["major LimitError: is no longer a BaseError"],
    ],
    [
      "an attribute that moved to the base of an error",
      [
        json({ BaseError: declarations.BaseError, LimitError: declarations.LimitError }),
        json({
          BaseError: {
            ...declarations.BaseError,
            members: { ...declarations.BaseError.members, ...declarations.LimitError.members },
          },
          LimitError: { ...declarations.LimitError, members: {} },
        }),
      ],
      ["minor BaseError.wait: was added"],
    ],
  ])("%s", (_, [from, to], expected) => {
    expect(changesAfter(from, to)).toEqual(expected);
  });

  it("is not looked for where the last release recorded nothing", () => {
    expect(comparePython("", JSON.stringify(surface))).toEqual([]);
  });

  it("is none between the committed record and itself", () => {
    const text = readFileSync(new URL("../../packages/python/surface.json", import.meta.url), "utf8");
    expect(comparePython(text, text)).toEqual([]);
  });
});
