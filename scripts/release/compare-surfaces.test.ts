import { describe, expect, it } from "vitest";
import { type Bump, bumpOf, lineOf } from "./change.ts";
import { compareSurfaces } from "./compare-surfaces.ts";

const surface = `declare module "pack" {
  export { Client };
  export { open };
  export { Options };
  export { Answer };
  export { Logger };
}

declare module "pack/extra" {
  export { sign };
}

declare interface Answer {
    readonly id: string;
    note?: string;
    kind: "near" | "far" | (string & {});
    state: "on" | "off" | null;
}

declare class Client {
    #private;
    constructor(options: Options);
    get(id: string, options?: Options): Promise<Answer>;
    list<T>(): T[];
}

declare interface Logger {
    warn(message: string): void;
}

declare interface Options {
    baseUrl: string;
    retries?: number | undefined;
    logger?: Logger | undefined;
    onAnswer?: ((answer: Answer) => unknown) | undefined;
}

declare const sign: (text: string, options: {
    at?: number;
}) => string;

declare function open(options: Options): Client;

declare function use(client: Client): void;
`;

const verdicts: readonly (readonly [what: string, from: string, to: string, bump: Bump, words: string])[] = [
  [
    "an added export",
    "  export { open };",
    "  export { open };\n  export { Extra };",
    "minor",
    "Extra: is exported by pack",
  ],
  ["a removed export", "  export { Logger };\n", "", "major", "Logger: is no longer exported by pack"],
  [
    "a removed entry point",
    'declare module "pack/extra" {\n  export { sign };\n}',
    "",
    "major",
    "pack/extra: the entry point was removed",
  ],
  [
    "an added entry point",
    'declare module "pack/extra"',
    'declare module "pack/more" {\n}\n\ndeclare module "pack/extra"',
    "minor",
    "pack/more: the entry point was added",
  ],
  [
    "an added method",
    "    list<T>(): T[];",
    "    list<T>(): T[];\n    close(): void;",
    "minor",
    "Client.close: was added",
  ],
  ["a removed method", "    list<T>(): T[];\n", "", "major", "Client.list: was removed"],
  [
    "an optional parameter",
    "list<T>()",
    "list<T>(limit?: number)",
    "minor",
    "Client.list(limit): an optional parameter was added",
  ],
  [
    "a required parameter",
    "list<T>()",
    "list<T>(limit: number)",
    "major",
    "Client.list(limit): a required parameter was added",
  ],
  [
    "a parameter that becomes required",
    "options?: Options): Promise",
    "options: Options): Promise",
    "major",
    "Client.get(options): the parameter is now required",
  ],
  [
    "a removed parameter",
    "get(id: string, options?: Options)",
    "get(id: string)",
    "major",
    "Client.get(options): the parameter was removed",
  ],
  [
    "a parameter that takes more",
    "get(id: string,",
    "get(id: string | number,",
    "minor",
    "Client.get(id): now also number",
  ],
  [
    "a parameter that takes something else",
    "get(id: string,",
    "get(id: URL,",
    "major",
    "Client.get(id): string is now URL",
  ],
  ["another result", "Promise<Answer>;", "Promise<Answer | undefined>;", "major", "Client.get: now also undefined"],
  ["another type parameter", "list<T>", "list<T extends object>", "major", "Client.list: its type parameters changed"],
  ["a type parameter with a default", "list<T>", "list<T, U = T>", "minor", "Client.list: its type parameters changed"],
  ["an optional option", "    retries?:", "    pause?: number;\n    retries?:", "minor", "Options.pause: was added"],
  [
    "a required option",
    "    retries?:",
    "    pause: number;\n    retries?:",
    "major",
    "Options.pause: was added, and whoever hands one in must have it",
  ],
  [
    "an option that becomes required",
    "retries?: number | undefined",
    "retries: number | undefined",
    "major",
    "Options.retries: is now required",
  ],
  [
    "an option that becomes optional",
    "baseUrl: string",
    "baseUrl?: string",
    "minor",
    "Options.baseUrl: is now optional",
  ],
  [
    "an option narrowed",
    "retries?: number | undefined",
    "retries?: number",
    "major",
    "Options.retries: no longer undefined",
  ],
  [
    "a method that a logger must have",
    "warn(message: string): void;",
    "warn(message: string): void;\n    info(): void;",
    "major",
    "Logger.info: was added",
  ],
  [
    "a required field of an answer",
    "    note?: string;",
    "    note?: string;\n    size: number;",
    "minor",
    "Answer.size: was added",
  ],
  ["a removed field of an answer", "    note?: string;\n", "", "major", "Answer.note: was removed"],
  [
    "a field of an answer that may be missing",
    "readonly id: string",
    "readonly id?: string",
    "major",
    "Answer.id: is now optional",
  ],
  [
    "a field of an answer that is sure to come",
    "note?: string",
    "note: string",
    "minor",
    "Answer.note: is now required",
  ],
  [
    "a field that becomes read-only",
    "note?: string",
    "readonly note?: string",
    "major",
    "Answer.note: is now read-only",
  ],
  ["a value added to an open list", '"near" |', '"near" | "beyond" |', "minor", 'Answer.kind: now also "beyond"'],
  ["a value added to a closed list", '"on" |', '"on" | "idle" |', "major", 'Answer.state: now also "idle"'],
  ["a value removed", '"near" | ', "", "major", 'Answer.kind: no longer "near"'],
  ["null that no longer comes", ' | "off" | null', ' | "off"', "minor", "Answer.state: no longer null"],
  [
    "an option deep inside",
    "    at?: number;",
    "    at?: number;\n    by?: string;",
    "minor",
    "sign(options).by: was added",
  ],
  [
    "another base class",
    "declare class Client {",
    "declare class Client extends Base {",
    "minor",
    "Client: nothing is now extends Base",
  ],
  [
    "a function that becomes a class",
    "declare function open(options: Options): Client;",
    "declare class open {\n}",
    "major",
    "open: was declared in another way",
  ],
];

describe("the least bump that an edit of the types may carry", () => {
  it.each(verdicts)("%s", (_, from, to, bump, words) => {
    expect(surface).toContain(from);
    const found = compareSurfaces(
      surface,
      surface.replace(from, () => to),
    );
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it.each([
    ["nothing", surface],
    ["comments and line breaks", surface.replace("    list<T>", "    /** All of them. */\n    list\n    <T>")],
    ["what is private", surface.replace("    #private;\n", "")],
    ["the order of a union", surface.replace('"near" | "far"', '"far" | "near"')],
  ])("is none where only %s changed", (_, after) => {
    expect(compareSurfaces(surface, after)).toEqual([]);
  });
});
