import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bumpOf, lineOf } from "../../scripts/release/change.ts";
import { compareRecords, linesOf } from "../../scripts/release/compare/records.ts";

const types = `declare module "pack" {
  export { Client, Options, Answer, Logger };
}
declare module "pack/extra" { export { sign }; }
declare interface Answer {
  readonly id: string;
  note?: string;
  state: "on" | "off" | null;
}
declare class Client {
  #private;
  constructor(options: Options);
  get(id: string, options?: Options): Promise<Answer>;
}
declare interface Logger { warn(message: string): void; }
declare type Options = { baseUrl: string; retries?: number | undefined; };
declare const table: { a: 1; };
declare const sign: (text: string, options: { at?: number; }) => string;
`;

const source = "@call-transfer/source";
const manifest = JSON.stringify({
  name: "@pack/sdk",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  sideEffects: ["./dist/cli.js"],
  exports: {
    ".": { [source]: "./src/index.ts", import: "./dist/index.js", require: "./dist/index.cjs" },
    "./extra": "./dist/extra.js",
    "./unstable": { default: "./dist/unstable.js" },
  },
  bin: { pack: "./dist/cli.js" },
  engines: { node: ">=20" },
  scripts: { build: "tsup" },
  dependencies: { hono: "^4.0.0" },
  peerDependencies: { msw: "^2.7.0 || ^3.0.0" },
  peerDependenciesMeta: { msw: { optional: true } },
});

const command = JSON.stringify({
  command: "pack",
  subcommands: { start: { "--port": { value: "text", default: "4010" }, "--quiet": { value: "none" } } },
  variables: { PACK_PORT: true },
  exitStatus: { "2": "wrongCommandLine" },
});

const key = (type: string, required: boolean) => ({ kind: "key", type, required });
const python = JSON.stringify({
  installation: { python: ">=3.11", dependencies: ["a>=1"], extras: { redis: ["redis>=6"] } },
  pytest: ["call_transfer"],
  defaults: { "retry.max": "2" },
  modules: { call_transfer: ["Client", "Kind"] },
  declarations: {
    Client: {
      kind: "class",
      bases: ["Base"],
      members: {
        create: {
          kind: "function",
          parameters: {
            flow: { kind: "either", type: "str" },
            to: { kind: "either", type: "str" },
            note: { kind: "keyword", type: "str", default: "''" },
          },
          returns: "Call",
        },
      },
    },
    Options: { kind: "dictionary", members: { max: key("int", false), name: key("str", true) } },
    Store: { kind: "protocol", members: { claim: { kind: "function", parameters: {}, returns: "bool" } } },
  },
});

const vectors = JSON.stringify({
  "packages/contract/vectors/hints.json": JSON.stringify({ about: "Waits.", cases: [{ name: "first", seconds: 1 }] }),
});
const schema = JSON.stringify({
  type: "object",
  properties: { port: { type: "integer", description: "The port." }, roles: { items: { properties: { name: {} } } } },
  required: ["port"],
});
const promises = JSON.stringify({ "variable PACK_KEY": true, "default maxRetries": 2 });

const records = {
  "api.d.ts": types,
  "package.json": manifest,
  "command.json": command,
  "surface.json": python,
  vectors,
  "promises.json": promises,
  "seed.schema.json": schema,
};

/** `bump :: record :: what :: before --> after :: words of a change`. released-edits.txt has more, at their sources. */
const verdicts = String.raw`
minor :: api.d.ts :: an export more :: Client, Options --> Client, Extra, Options :: pack > Extra: was added
major :: api.d.ts :: an entry point less :: declare module "pack/extra" { export { sign }; } -->  :: pack/extra: was removed
minor :: api.d.ts :: a method more of a class ::   get( -->   close(): void; get( :: Client > close: was added
major :: api.d.ts :: another method of a class :: options?: Options): Promise --> options: Options): Promise :: Client > get:
major :: api.d.ts :: a method more that programs implement :: warn( --> info(): void; warn( :: requires info,warn
minor :: api.d.ts :: an optional option :: retries?: --> pause?: number; retries?: :: Options > pause: was added
major :: api.d.ts :: a required option :: retries?: --> pause: number; retries?: :: requires baseUrl,pause
major :: api.d.ts :: an option that becomes required :: retries?: --> retries: :: Options > retries
major :: api.d.ts :: a value more of a closed list :: "on" | --> "on" | "idle" | :: Answer > state
major :: api.d.ts :: a field that may be missing :: readonly id: --> readonly id?: :: Answer > id
minor :: api.d.ts :: an option deep inside :: { at?: --> { by?: string; at?: :: sign > by: was added
major :: api.d.ts :: a required option deep inside :: { at?: --> { by: string; at?: :: sign:
minor :: api.d.ts :: a field more of what comes :: table: { --> table: { b: 2; :: table > b: was added
major :: api.d.ts :: a function of other parameters :: at?: number --> at?: string :: sign > at:
none :: api.d.ts :: other spaces ::   note?: string; -->   note?:  string; ::
none :: api.d.ts :: what programs cannot see :: #private; -->  ::
major :: package.json :: an engine more :: "node":">=20" --> "node":">=20","npm":">=10" :: installation:
major :: package.json :: another module system :: "type":"module" --> "type":"commonjs" :: installation:
major :: package.json :: a peer that is no longer optional :: "optional":true --> "optional":false :: "peers":["msw"]
minor :: package.json :: an entry more :: "./extra" --> "./more":"./dist/more.js","./extra" :: exports ./more: was added
major :: package.json :: a module that may be dropped :: ["./dist/cli.js"] --> false :: sideEffects:
patch :: package.json :: another dependency :: ^4.0.0 --> ^5.0.0 :: dependencies:
none :: package.json :: what only the workspace uses :: tsup --> tsc ::
none :: package.json :: sources elsewhere :: ./src/index.ts --> ./src/main.ts ::
none :: package.json :: another file of what is not promised :: ./dist/unstable.js --> ./dist/lab.js ::
minor :: command.json :: an option more :: "--quiet" --> "--loud":{"value":"none"},"--quiet" :: start > --loud: was added
major :: command.json :: a subcommand less :: "start" --> "begin" :: start: was removed
minor :: command.json :: a variable more :: "PACK_PORT" --> "PACK_KEY":true,"PACK_PORT" :: variables PACK_KEY: was added
major :: surface.json :: a newer Python :: >=3.11 --> >=3.12 :: installation:
patch :: surface.json :: another dependency :: a>=1 --> a>=2 :: installation, dependencies
major :: surface.json :: a fixture less :: ["call_transfer"] --> [] :: pytest call_transfer: was removed
minor :: surface.json :: an optional keyword more :: "note": --> "tag":{"kind":"keyword","default":"1"},"note": :: tag: was added
major :: surface.json :: a required keyword more :: "note": --> "tag":{"kind":"keyword"},"note": :: Client > create:
major :: surface.json :: another order of parameters :: "flow":{"kind":"either","type":"str"}, -->  :: "by position":["to"]
major :: surface.json :: a required key more that programs give :: "max": --> "min":{"required":true},"max": :: Options:
minor :: surface.json :: an optional key more :: "max": --> "min":{"required":false},"max": :: Options > min: was added
major :: surface.json :: a method more that programs implement :: "claim" --> "ping":{},"claim" :: Store:
minor :: vectors :: a case more :: [{ --> [{\"name\":\"new\"},{ :: vectors/hints.json > new: was added
patch :: vectors :: another text :: Waits --> Waits now :: vectors/hints.json, about
minor :: seed.schema.json :: a key more of items :: "name":{} --> "hue":{},"name":{} :: seed.schema.json > roles > [] > hue: was added
major :: seed.schema.json :: a required key more :: ["port"] --> ["door","port"] :: seed.schema.json:
patch :: seed.schema.json :: another text :: The port --> A port :: seed.schema.json > port, description
`
  .trim()
  .split("\n")
  .map((line) => line.split(" :: "));

describe("the one rule for records", () => {
  it.each(verdicts)("%s: %s, %s", (bump, record = "", _, edit = "", words = "") => {
    const text = records[record as keyof typeof records];
    const [from = "", to = ""] = edit.split(" --> ");
    expect(text).toContain(from);
    const found = compareRecords(
      `packages/pack/${record}`,
      text,
      text.replace(from, () => to),
    );
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("reports what is gone once, without what was in it", () => {
    const found = compareRecords("api.d.ts", types, types.replace(/declare class Client[\s\S]*?\n\}\n/, ""));
    expect(found.map(lineOf)).toEqual(["major  Client: was removed"]);
  });

  it("compares nothing that the last release did not have", () => {
    for (const [path, text] of Object.entries(records)) expect(compareRecords(path, "", text)).toEqual([]);
  });

  it("reads every committed record", () => {
    for (const path of ["sdk/api.d.ts", "mock-server/command.json", "python/surface.json", "mcp/promises.json"]) {
      const text = readFileSync(new URL(`../../packages/${path}`, import.meta.url), "utf8");
      expect(linesOf(path, text).size, path).toBeGreaterThan(5);
    }
  });
});
