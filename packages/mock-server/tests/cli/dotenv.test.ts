import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
    ["an old value between others", "A=1\nKEY=old\nB=2\n", "A=1\nKEY=new\nB=2\n"],
    ["an old value twice", "KEY=old\nA=1\nKEY=older\n", "KEY=new\nA=1\nKEY=new\n"],
    ["an empty old value", "KEY=\nA=1\n", "KEY=new\nA=1\n"],
    ["an exported old value, with spaces", "export KEY = old\n", "export KEY = new\n"],
    ["an old value with a comment", "KEY=old # mine\n", "KEY=new # mine\n"],
    ["an old value in quotes with a comment", "KEY='o # d' # mine\n", "KEY=new # mine\n"],
    ["an old value of several lines", 'KEY="old\nvalue"\nA=1\n', "KEY=new\nA=1\n"],
    ["a value in a comment", "# KEY=old\n", "# KEY=old\nKEY=new\n"],
    ["a longer name", "MY_KEY=1\nKEY_2=2\n", "MY_KEY=1\nKEY_2=2\nKEY=new\n"],
    ["another value of several lines that contains the name", 'A="1\nKEY=old\n"\n', 'A="1\nKEY=old\n"\nKEY=new\n'],
    ["an unclosed quote", 'A="1\nKEY=old\n', 'A="1\nKEY=new\n'],
  ])("sets a variable next to %s", (_, text, expected) => {
    expect(withVariables(text, { KEY: "new" })).toBe(expected);
  });

  it("empties a variable without a value, and adds none", () => {
    expect(withVariables("KEY=old # mine\nA=1\n", { KEY: "", OTHER: "" })).toBe("KEY= # mine\nA=1\n");
  });

  it("is idempotent", () => {
    const variables = { KEY: "it is $1 # one", URL: "http://127.0.0.1:4010" };
    const once = withVariables("A=1\nKEY=old\n", variables);
    expect(withVariables(once, variables)).toBe(once);
  });

  it.each([
    "plain-1.2_3",
    "http://127.0.0.1:4010",
    "two words",
    "a#b",
    "a # b",
    "$HOME",
    "`date`",
    "it's",
    'say "it"',
    "ü",
    "a\\b",
  ])("writes %j so that parseEnv reads it back", (value) => {
    expect(parseEnv(withVariables("A=1\n", { KEY: value }))).toEqual({ A: "1", KEY: value });
  });

  it.each(["two\nlines", "it's $1", "both ' and \"", "'\\", "nul\0"])("rejects %j and names the variable", (value) => {
    expect(() => withVariables("", { KEY: value })).toThrow("KEY cannot be written to a .env file: ");
  });
});

describe("readDotenv", () => {
  it("accepts a file that does not exist yet", () => {
    const path = join(folder, "none.env");
    expect(readDotenv("--write-env", path)).toEqual({ path, text: "" });
  });

  it("follows a symbolic link, so that the link stays", () => {
    const path = join(folder, "real.env");
    writeFileSync(path, "A=1\n");
    symlinkSync(path, join(folder, "link.env"));
    expect(readDotenv("--write-env", join(folder, "link.env"))).toEqual({ path, text: "A=1\n" });
  });

  it("keeps a byte order mark", () => {
    const path = join(folder, "mark.env");
    writeFileSync(path, "\uFEFFA=1\n");
    expect(readDotenv("--write-env", path).text).toBe("\uFEFFA=1\n");
  });

  it.each([
    ["is a folder", () => mkdirSync(join(folder, "is a folder")), "is not a regular file."],
    [
      "is binary",
      () => writeFileSync(join(folder, "is binary"), new Uint8Array([65, 61, 255])),
      "is not text in UTF-8. Save it in UTF-8.",
    ],
  ])("rejects a file that %s", (name, make, message) => {
    make();
    expect(() => readDotenv("--write-env", join(folder, name))).toThrow(
      `--write-env ${join(folder, name)}: ${message}`,
    );
  });
});
