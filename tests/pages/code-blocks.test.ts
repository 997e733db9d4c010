// Every code block of every page is executed or type-checked as it stands. `npm run check -- pages` runs the commands.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { type Proof, type ProvedBlock, pages, proveBlocks, pythonTest, read, root } from "./blocks.ts";
import { statementsIn, unknownOptions } from "./commands.ts";
import { matches } from "./output.ts";
import { fileOf, sessionsIn } from "./sessions.ts";
import { typeErrors } from "./type-check.ts";

const found = pages.map((page) => proveBlocks(page, read(page)));
const blocks = found.flatMap(({ proved }) => proved);
const placeOf = ({ page, line }: ProvedBlock) => `${page}:${line}`;

type BlockOf<Kind extends Proof["kind"]> = ProvedBlock & { readonly proof: Extract<Proof, { kind: Kind }> };
const hasProof =
  <Kind extends Proof["kind"]>(kind: Kind) =>
  (block: ProvedBlock): block is BlockOf<Kind> =>
    block.proof.kind === kind;
const provedBy = <Kind extends Proof["kind"]>(kind: Kind) => blocks.filter(hasProof(kind));

describe("the code blocks of the pages", () => {
  it("are all executed or type-checked", () => {
    expect(found.flatMap(({ problems }) => problems)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(100);
  });

  it("equal the files that they name", () => {
    const differing = provedBy("file").filter(
      ({ text, proof: { path } }) => !existsSync(new URL(path, root)) || read(path) !== text,
    );
    expect(differing.map((block) => `${placeOf(block)}: It differs from ${block.proof.path}.`)).toEqual([]);
  });

  it("type-check as they stand", () => {
    expect(typeErrors(blocks)).toEqual([]);
  });

  it("have the schema that they name", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    const schemaAt = (path: string) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
    ajv.addSchema(schemaAt("packages/mock-server/seed.schema.json"), "seed.schema.json");
    for (const block of provedBy("schema")) {
      const value = JSON.parse(block.text);
      const [, name, file] = /@call-transfer\/([\w-]+)\/([\w.]+)$/.exec(value.$schema) ?? [];
      const isValid = ajv.compile(schemaAt(`packages/${name}/${file}`));
      expect([placeOf(block), isValid(value), isValid.errors]).toEqual([placeOf(block), true, null]);
    }
  });

  it("name commands and options that exist", () => {
    expect(blocks.filter(({ language }) => language !== "text").flatMap(unknownOptions)).toEqual([]);
  });

  it("hold commands that a shell can read", () => {
    for (const block of blocks)
      if (block.language === "sh") expect(statementsIn(block), placeOf(block)).not.toEqual([]);
  });

  it("name tests that read their page", () => {
    const wrong = provedBy("test").filter(({ page, proof: { path } }) => {
      const file = new URL(path, root);
      // It reads every page.
      if (path === pythonTest) return false;
      return !existsSync(file) || !readFileSync(file, "utf8").includes(page.replace(/^.*\//, ""));
    });
    expect(wrong.map((block) => `${placeOf(block)}: ${block.proof.path} does not read this page.`)).toEqual([]);
  });

  it("can be parsed at least where they are not run", () => {
    for (const block of provedBy("not run"))
      if (block.language === "ts") expect(syntaxErrors(block.text), placeOf(block)).toEqual([]);
  });
});

const syntaxErrors = (text: string) =>
  ts
    .transpileModule(text, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext } })
    .diagnostics?.map(({ messageText }) => messageText) ?? [];

it("the folders that CONTRIBUTING.md lists exist", () => {
  const [tree] = blocks.filter(({ page }) => page === "CONTRIBUTING.md");
  const paths = tree?.text.match(/^\S+/gm) ?? [];
  expect(paths).toContain("packages/sdk");
  expect(paths.filter((path) => !existsSync(fileURLToPath(new URL(path, root))))).toEqual([]);
});

describe("a page with a mistake", () => {
  const fence = "```";
  const problemsOf = (text: string) => proveBlocks("docs/page.md", text).problems;

  it.each([
    ["a block without a language", `${fence}\nwhat\n${fence}\n`, 'language ""'],
    ["JSON of no type", `${fence}json\n{}\n${fence}\n`, "<!-- type: TYPE -->"],
    ["output of nothing", `${fence}text\nhello\n${fence}\n`, "No program or command"],
    ["two marks", `<!-- test: a.ts -->\n<!-- not run: because -->\n\n${fence}sh\nls\n${fence}\n`, "2 marks"],
    ["a block in a list", `- one\n\n  ${fence}java\n  what\n  ${fence}\n`, 'language "java"'],
  ])("has a block that nothing proves: %s", (_, text, message) => {
    expect(problemsOf(`# Page\n\n${text}`)).toEqual([expect.stringContaining(message)]);
    expect(problemsOf(`# Page\n\n${text}`)[0]).toMatch(/^docs\/page\.md:\d+: /);
  });

  it("has a program with a wrong type, found in its line", () => {
    const text = `# Page\n\n<!-- given: const one = 1; -->\n\n${fence}ts\nconst two: number = one;\nconst three: string = one;\n${fence}\n`;
    expect(typeErrors(proveBlocks("docs/page.md", text).proved)).toEqual([
      expect.stringMatching(/^docs\/page\.md:7: error TS2322/),
    ]);
  });

  it("has an option that does not exist", () => {
    const [block] = proveBlocks(
      "docs/page.md",
      `${fence}sh\nnpx @call-transfer/mock-server clock advance 1h --prot 1\n${fence}\n`,
    ).proved;
    expect(block && unknownOptions(block)).toEqual([
      "docs/page.md:2: call-transfer-mock clock advance has no option --prot.",
    ]);
  });
});

it("a program in Python right below another has the same output, and any other has its own", () => {
  const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;
  const [ts, python, output] = [block("ts", "export {};"), block("python", "pass"), block("text", "1")];
  const proofsOf = (text: string) => proveBlocks("docs/page.md", text).proved.map(({ proof }) => proof);
  const below = { kind: "test", path: pythonTest };
  const from = "<!-- examples/x.ts -->\n\n";
  expect(proofsOf(`${from}${ts}<!-- examples/python/x.py -->\n\n${python}${output}`)).toMatchObject([
    { kind: "file", path: "examples/x.ts" },
    { kind: "file", path: "examples/python/x.py" },
    { kind: "output", of: { language: "ts" } },
  ]);
  expect(proofsOf(`${from}${ts}In Python:\n\n${python}${output}`).slice(1)).toEqual([below, below]);
  expect(proofsOf(`${block("sh", "node x.mjs")}${block("sh", "python x.py")}${output}`)).toMatchObject([
    { kind: "commands" },
    below,
    { kind: "output", of: { text: "node x.mjs\n" } },
  ]);
});

it("a text with … matches any rest of a line, and nothing more", () => {
  expect(matches("one 1\ntwo 2\nthree\n", "one …\n…\nthree\n")).toBe(true);
  expect(matches("one 1\ntwo 2\n", "one …\n")).toBe(false);
  expect(matches("one\n", "two\n")).toBe(false);
});

describe("a section with a folder of its own", () => {
  const fence = "```";
  const save = (name: string, text: string) => `<!-- file: ${name} -->\n\n${fence}yaml\n${text}\n${fence}\n\n`;
  const page = [
    `# Page\n\n${save("top.yml", "a: 1")}`,
    `<!-- folder -->\n\n## One\n\n${save("one.yml", "a: 1")}`,
    `<!-- folder -->\n\n## Two\n\nNode 22.13 or newer. ${save("two.yml", "a: 1")}`,
    `<!-- folder, Node 20 and 24 -->\n\n### Three\n\n${save("three.yml", "a: 1")}`,
  ].join("");
  const found = sessionsIn("docs/page.md", page);

  it("begins with what stands above it, in the sections that contain it", () => {
    expect(found.map(({ title, blocks }) => [title, blocks.map(({ marks }) => marks.file)])).toEqual([
      ["docs/page.md, One", ["top.yml", "one.yml"]],
      ["docs/page.md, Three", ["top.yml", "two.yml", "three.yml"]],
      ["docs/page.md, Three", ["top.yml", "two.yml", "three.yml"]],
    ]);
  });

  it("is read with the oldest Node that its text names, or with each that its mark names", () => {
    expect(found.map(({ node }) => node)).toEqual(["20", "20", "24"]);
    const [, two] = sessionsIn("docs/page.md", page.replace(/<!-- folder, [\s\S]*/, ""));
    expect(two?.node).toBe("22.13");
  });

  it("saves no file under a name that readers do not see", () => {
    const [one] = found;
    const [block] = one?.blocks ?? [];
    expect(() => block && fileOf(block, page)).toThrow("docs/page.md:5: The page does not print top.yml.");
    expect(block && fileOf(block, `${page} \`top.yml\``)).toEqual({ name: "top.yml", text: "a: 1\n" });
  });
});
