import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { readDotenv, withVariables } from "../../src/cli/files.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-dotenv-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("withVariables", () => {
  it.each([
    ["an empty file", "", "KEY=new\n"],
    ["other lines", "# mine\nOTHER=1\n\n", "# mine\nOTHER=1\n\nKEY=new\n"],
    ["a last line without a line break", "OTHER=1", "OTHER=1\nKEY=new\n"],
    ["Windows line breaks", "KEY=old\r\nOTHER=1\r\n", "KEY=new\r\nOTHER=1\r\n"],
    ["Windows line breaks and a new variable", "OTHER=1\r\n", "OTHER=1\r\nKEY=new\r\n"],
    ["an old value twice", "KEY=old\nA=1\nKEY=older\n", "KEY=new\nA=1\nKEY=new\n"],
    ["an exported old value", "export KEY=old\n", "export KEY=new\n"],
    ["line breaks of both kinds", "KEY=old\nA=1\r\nB=2\n", "KEY=new\nA=1\r\nB=2\n"],
    ["an old value with a comment", "KEY=old # mine\n", "KEY=new # mine\n"],
    ["an old value in quotes with a comment", "KEY='o # d' # mine\n", "KEY=new # mine\n"],
    ["an old value of several lines", 'KEY="old\nvalue"\nA=1\n', "KEY=new\nA=1\n"],
    ["another value of several lines that contains the name", 'A="1\nKEY=old\n"\n', 'A="1\nKEY=old\n"\nKEY=new\n'],
    ["a value in a comment", "# KEY=old\n", "# KEY=old\nKEY=new\n"],
    ["a longer name", "MY_KEY=1\nKEY_2=2\n", "MY_KEY=1\nKEY_2=2\nKEY=new\n"],
  ])("sets a variable next to %s", (_, text, expected) => {
    expect(withVariables(text, { KEY: "new" })).toBe(expected);
  });

  it("empties a variable without a value, and adds none", () => {
    expect(withVariables("KEY=old\nA=1\n", { KEY: "", OTHER: "" })).toBe("KEY=\nA=1\n");
  });

  it.each(["http://127.0.0.1:4010", "two words", "a # b", "$HOME", "`date`", 'say "it"', "a\\b"])(
    "writes %j so that parseEnv reads it back",
    (value) => {
      expect(parseEnv(withVariables("A=1\n", { KEY: value }))).toEqual({ A: "1", KEY: value });
    },
  );

  it.each(["two\nlines", "it's", "\\", "nul\0"])("rejects %j and names the variable", (value) => {
    expect(() => withVariables("", { KEY: value })).toThrow("KEY cannot be written to a .env file: ");
  });
});

it("a link to a .env file stays, since its target is what is written", () => {
  const path = join(folder, "real.env");
  writeFileSync(path, "A=1\n");
  symlinkSync(path, join(folder, "link.env"));
  expect(readDotenv("--write-env", join(folder, "link.env"))).toEqual({ path, text: "A=1\n" });
  expect(readDotenv("--write-env", join(folder, "none.env")).text).toBe("");
});
