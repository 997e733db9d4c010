// The YAML files of openapi/ with the line of each node, to say where something is missing.
import { readFileSync } from "node:fs";
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** What is wrong in a YAML file, and what to write instead. */
export interface Problem {
  /** The file, relative to the folder of the repository. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

type Steps = readonly string[];

/** A node of a YAML file. */
export class Place {
  readonly file: YamlFile;
  readonly steps: Steps;

  constructor(file: YamlFile, steps: Steps = []) {
    this.file = file;
    this.steps = steps;
  }

  /** The value; undefined if the file has no such node. */
  get value(): unknown {
    return this.steps.reduce<unknown>(
      (node, step) => (typeof node === "object" && node !== null ? Reflect.get(node, step) : undefined),
      this.file.value,
    );
  }

  /** The fields of the value; none if it is not an object. */
  get fields(): Readonly<Record<string, unknown>> {
    const { value } = this;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  }

  at(...steps: Steps): Place {
    return new Place(this.file, [...this.steps, ...steps]);
  }

  /** The place that this one refers to with `$ref`, or itself; a place without a value if the references run in a circle. */
  get target(): Place {
    let place: Place = this;
    for (let followed = 0; followed < 20; followed++) {
      const { $ref } = place.fields;
      if (typeof $ref !== "string") return place;
      const [path = "", pointer = ""] = $ref.split("#");
      place = new Place(path === "" ? place.file : place.file.other(path), pointer.split("/").slice(1));
    }
    return this.at("$ref", "target");
  }

  problem(message: string): Problem {
    return { file: this.file.name, line: this.file.lineOf(this.steps), message };
  }
}

/** The text of a file; empty if it cannot be read. */
function textOf(address: URL): string {
  try {
    return readFileSync(address, "utf8");
  } catch {
    return "";
  }
}

/** A YAML file; empty if it cannot be read. */
export class YamlFile {
  /** The path from the folder of the repository. */
  readonly name: string;
  readonly value: unknown;
  readonly #mistake: string | undefined;
  readonly #address: URL;
  readonly #document;
  readonly #lines = new LineCounter();

  constructor(address: URL, name: string) {
    this.#address = address;
    this.name = name;
    this.#document = parseDocument(textOf(address), { lineCounter: this.#lines, merge: true });
    try {
      this.value = this.#document.errors.length === 0 ? this.#document.toJS() : undefined;
    } catch (error) {
      // An alias of an anchor that does not exist.
      this.#mistake = error instanceof Error ? error.message : String(error);
    }
  }

  /** A file by its path from this one. */
  other(path: string): YamlFile {
    const name = new URL(path, `file:///${this.name}`).pathname.slice(1);
    return new YamlFile(new URL(path, this.#address), name);
  }

  /** The mistakes in the syntax. */
  get problems(): Problem[] {
    const mistakes = this.#document.errors.map(({ message, pos: [offset] }) => ({
      file: this.name,
      line: this.#lines.linePos(offset).line,
      message: message.split("\n")[0] ?? "",
    }));
    return this.#mistake === undefined ? mistakes : [{ file: this.name, line: 1, message: this.#mistake }];
  }

  /** The line of a node's key, or of the closest key above a node that is missing. */
  lineOf(steps: Steps): number {
    let node: unknown = this.#document.contents;
    let offset = 0;
    for (const step of steps) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isSeq(node)) {
        node = node.items[Number(step)];
        if (isNode(node)) offset = node.range?.[0] ?? offset;
        continue;
      }
      const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
      if (!pair) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    }
    return this.#lines.linePos(offset).line;
  }
}
