import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { answersOf, editorOptions } from "./hover/answers.ts";
import { clientOf } from "./test-server.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Asks about the sources. tests/packages/check-consumers.ts asks about the built declarations. */
const options: ts.CompilerOptions = {
  ...editorOptions,
  allowImportingTsExtensions: true,
  customConditions: ["@call-transfer/source"],
};

describe("what an editor shows", () => {
  let answers = "";
  beforeAll(() => {
    answers = answersOf(pathOf("hover/program.ts"), options);
  });

  it("is what hover/answers.txt holds (npm run record)", async () => {
    await expect(answers).toMatchFileSnapshot("hover/answers.txt");
  });

  it("is asked of every operation", () => {
    const { client } = clientOf([]);
    const methods = Object.values(client).flatMap((resource: object) => {
      const { name, prototype } = resource.constructor;
      const members = Object.getOwnPropertyNames(prototype).filter((member) => member !== "constructor");
      return members.map((member) => `(method) ${name}.${member}(`);
    });
    expect(methods).toContain("(method) Calls.create(");
    expect(methods.filter((method) => !answers.includes(method))).toEqual([]);
  });

  it("documents every field, and refuses every mistake and nothing else", () => {
    expect(answers).not.toMatch(/NO DOCUMENTATION|NO ERROR|UNEXPECTED|^ *nothing$|: any\b/m);
  });
});
