import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { answersOf } from "./hover/answers.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** As strict as a customer can be. */
const options: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, allowImportingTsExtensions: true },
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  customConditions: ["@call-transfer/source"],
};

describe("what an editor shows", () => {
  let answers = "";
  beforeAll(() => {
    answers = answersOf(pathOf("hover/program.ts"), options);
  });

  it("is what hover/answers.txt holds (write it with --update)", async () => {
    await expect(answers).toMatchFileSnapshot("hover/answers.txt");
  });

  it("documents every field, and refuses every mistake and nothing else", () => {
    expect(answers).not.toMatch(/NO DOCUMENTATION|NO ERROR|UNEXPECTED|^ *nothing$|: any\b/m);
  });
});
