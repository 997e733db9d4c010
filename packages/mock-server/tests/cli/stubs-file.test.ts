import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readStubs } from "../../src/cli/stubs-file.ts";
import { UsageError } from "../../src/cli/values.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-stubs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, "stubs.yaml");
/** What a file with this content is read as, or the message of the error, without the name of the file. */
async function read(content: string): Promise<unknown> {
  writeFileSync(path, content);
  try {
    return await readStubs("--stubs", path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message.replace(`--stubs ${path}`, "FILE");
  }
}
const inBody = (body: string) => `stubs:\n  - method: GET\n    path: /a\n    response:\n      body: ${body}\n`;

const names = [..."abcdefghijklmnopqrstuvwxyz"];
const aliases = names
  .slice(1)
  .map((name, at) => `${name}: &${name} [*${names[at]}, *${names[at]}]\n`)
  .join("");

it("reads YAML, with a part that several stubs share", async () => {
  const content = [
    "stubs:",
    "  # Contacts",
    "  - { method: GET, path: /a, response: &ada { body: { name: Ada, born: 1815-12-10 } } }",
    "  - { method: GET, path: /b, response: *ada }",
  ].join("\n");
  const response = { body: { name: "Ada", born: "1815-12-10" } };
  expect(await read(content)).toEqual(["/a", "/b"].map((one) => ({ method: "GET", path: one, response })));
});

it("reads JSON, also with tabs and $schema", async () => {
  const stub = { method: "POST", path: "/a", response: {} };
  expect(await read(JSON.stringify({ $schema: "./stubs.schema.json", stubs: [stub] }, null, "\t"))).toEqual([stub]);
});

it.each<[string, string, string]>([
  [
    "an invalid field",
    inBody("x").replace("body: x", "status: 99"),
    "FILE:5: stubs[0].response.status: must be at least 200",
  ],
  ["an unknown field", "stubs:\n- method: GET\n  path: /a\n  body: 1\n", "FILE:4: stubs[0].body: is not a known field"],
  [
    "wrong YAML",
    "stubs:\n- a: [1\nb: 2\n",
    "FILE:3: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ],
  ["a field twice", "stubs: []\nstubs: []\n", "FILE:2: not valid YAML: Map keys must be unique"],
  [
    "an empty file",
    "",
    "FILE:1: must be an object with a list of stubs, such as stubs: [{ method: GET, path: /a, response: {} }]",
  ],
  [
    "a number as a header",
    "stubs:\n- method: GET\n  path: /a\n  response:\n    headers:\n      Retry-After: 1\n",
    "FILE:6: stubs[0].response.headers.Retry-After: must be a text, not 1. Put it in quotes.",
  ],
  ["another list", "faults: []\nstubs: []\n", "FILE:1: faults: is not a known field."],
  ["aliases that multiply", `a: &a [1, 1]\n${aliases}stubs: [*z]\n`, "FILE:1: Excessive alias count indicates"],
])("names the line and the field of %s", async (_, content, message) => {
  const found = String(await read(content));
  expect([found.startsWith(message), found]).toEqual([true, expect.not.stringContaining("\n")]);
});

it("says that a file is missing", async () => {
  await expect(readStubs("--stubs", "none.yaml")).rejects.toThrow("--stubs none.yaml: file not found.");
});
