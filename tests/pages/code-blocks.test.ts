// Every code block of every page is executed or type-checked as it stands. `npm run check -- pages` runs the commands.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { type Proof, type ProvedBlock, pages, proveBlocks, pythonTest, read, root } from "./blocks.ts";
import { statementsIn, unknownOptions } from "./commands.ts";
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

  it("has a program with a wrong type, found in its line", () => {
    const text = `# Page\n\n<!-- given: const one = 1; -->\n\n${fence}ts\nconst two: number = one;\nconst three: string = one;\n${fence}\n`;
    expect(typeErrors(proveBlocks("docs/page.md", text).proved)).toEqual([
      expect.stringMatching(/^docs\/page\.md:7: error TS2322/),
    ]);
  });

  it("has an option that does not exist", () => {
    const text = `${fence}sh\nnpx @call-transfer/mock-server clock advance 1h --prot 1\n${fence}\n`;
    const [block] = proveBlocks("docs/page.md", text).proved;
    expect(block && unknownOptions(block)).toEqual([
      "docs/page.md:2: call-transfer-mock clock advance has no option --prot.",
    ]);
  });
});
