import { describe, expect, it } from "vitest";
import { bumpOf, lineOf } from "../../scripts/release/change.ts";
import { compareSurfaces } from "../../scripts/release/compare/surfaces.ts";

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

/** `bump :: what :: before --> after :: words of the change`, with `\n` for a line's end. */
const verdicts = String.raw`
minor :: an added export ::   export { open }; -->   export { open };\n  export { Extra }; :: Extra: is exported by pack
major :: a removed export ::   export { Logger };\n -->  :: Logger: is no longer exported by pack
major :: a removed entry point :: declare module "pack/extra" {\n  export { sign };\n} -->  :: pack/extra: the entry point was removed
minor :: an added entry point :: declare module "pack/extra" --> declare module "pack/more" {\n}\n\ndeclare module "pack/extra" :: pack/more: the entry point was added
minor :: an added method ::     list<T>(): T[]; -->     list<T>(): T[];\n    close(): void; :: Client.close: was added
major :: a removed method ::     list<T>(): T[];\n -->  :: Client.list: was removed
minor :: an optional parameter :: list<T>() --> list<T>(limit?: number) :: Client.list(limit): an optional parameter was added
major :: a required parameter :: list<T>() --> list<T>(limit: number) :: Client.list(limit): a required parameter was added
major :: a parameter that becomes required :: options?: Options): Promise --> options: Options): Promise :: Client.get(options): the parameter is now required
major :: a removed parameter :: get(id: string, options?: Options) --> get(id: string) :: Client.get(options): the parameter was removed
minor :: a parameter that takes more :: get(id: string, --> get(id: string | number, :: Client.get(id): now also number
major :: a parameter that takes something else :: get(id: string, --> get(id: URL, :: Client.get(id): string is now URL
major :: another result :: Promise<Answer>; --> Promise<Answer | undefined>; :: Client.get: now also undefined
major :: another type parameter :: list<T> --> list<T extends object> :: Client.list: its type parameters changed
minor :: a type parameter with a default :: list<T> --> list<T, U = T> :: Client.list: its type parameters changed
minor :: an optional option ::     retries?: -->     pause?: number;\n    retries?: :: Options.pause: was added
major :: a required option ::     retries?: -->     pause: number;\n    retries?: :: Options.pause: was added, and callers must provide it
major :: an option that becomes required :: retries?: number | undefined --> retries: number | undefined :: Options.retries: is now required
minor :: an option that becomes optional :: baseUrl: string --> baseUrl?: string :: Options.baseUrl: is now optional
major :: an option narrowed :: retries?: number | undefined --> retries?: number :: Options.retries: no longer undefined
major :: a method that a logger must have :: warn(message: string): void; --> warn(message: string): void;\n    info(): void; :: Logger.info: was added
minor :: a required field of an answer ::     note?: string; -->     note?: string;\n    size: number; :: Answer.size: was added
major :: a removed field of an answer ::     note?: string;\n -->  :: Answer.note: was removed
major :: a field of an answer that may be missing :: readonly id: string --> readonly id?: string :: Answer.id: is now optional
minor :: a field of an answer that is sure to come :: note?: string --> note: string :: Answer.note: is now required
major :: a field that becomes read-only :: note?: string --> readonly note?: string :: Answer.note: is now read-only
minor :: a value added to an open list :: "near" | --> "near" | "beyond" | :: Answer.kind: now also "beyond"
major :: a value added to a closed list :: "on" | --> "on" | "idle" | :: Answer.state: now also "idle"
major :: a value removed :: "near" |  -->  :: Answer.kind: no longer "near"
minor :: null that no longer comes ::  | "off" | null -->  | "off" :: Answer.state: no longer null
minor :: an option deep inside ::     at?: number; -->     at?: number;\n    by?: string; :: sign(options).by: was added
minor :: another base class :: declare class Client { --> declare class Client extends Base { :: Client: nothing is now extends Base
major :: a function that becomes a class :: declare function open(options: Options): Client; --> declare class open {\n} :: open: is now declared differently
`
  .trim()
  .split("\n")
  .map((line) => line.replaceAll(String.raw`\n`, "\n").split(" :: "));

describe("the least bump that an edit of the types may carry", () => {
  it.each(verdicts)("%s: %s", (bump, _, edit = "", words = "") => {
    const [from = "", to = ""] = edit.split(" --> ");
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
