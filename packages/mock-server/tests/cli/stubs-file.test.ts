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
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const inBody = (body: string) => `stubs:\n  - method: GET\n    path: /a\n    response:\n      body: ${body}\n`;

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
    "a template in a list",
    inBody("[1, '{{nope}}']"),
    "FILE:5: stubs[0].response.body[1]: {{nope}} is not a template. Possible are {{id}}, {{now}}, {{query.NAME}}, {{header.NAME}} and {{body.FIELD}}. For the text {{ itself, write \\{{",
  ],
  [
    "wrong YAML",
    "stubs:\n- a: [1\nb: 2\n",
    "FILE:3: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ],
  ["a field twice", "stubs: []\nstubs: []\n", "FILE:2: not valid YAML: Map keys must be unique"],
  [
    "an unknown tag",
    "stubs: !!js/function 'x'\n",
    "FILE:1: not valid YAML: Unresolved tag: tag:yaml.org,2002:js/function",
  ],
  [
    "two documents",
    "stubs: []\n---\nstubs: []\n",
    "FILE:2: not valid YAML: Source contains multiple documents; please use YAML.parseAllDocuments()",
  ],
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
  ["a date of YAML 1.1", `%YAML 1.1\n---\n${inBody("2020-01-01")}`, "FILE:7: stubs[0].response.body: must be JSON"],
  ["another list", "faults: []\nstubs: []\n", "FILE:1: faults: is not a known field."],
  [
    "a duplicate",
    "stubs:\n- { method: GET, path: /a, response: {} }\n- { method: GET, path: /a, response: {} }\n",
    "FILE:3: stubs[1].path: stub-1 has the same method, path and match. Delete one of the two.",
  ],
])("names the line and the field of %s", async (_, content, message) => {
  expect(await read(content)).toBe(message);
});

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
for (const [of, name] of ["ab", "bc", "cd", "de", "ef"].map((pair) => [...pair]))
  bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(", ")}]`);

it.each<[string, string, string]>([
  ["ten megabytes", " ".repeat(10 * 2 ** 20), "FILE: has 10 MiB. At most 1 MiB is allowed."],
  [
    "aliases that multiply",
    `${bomb.join("\n")}\nstubs: [*f]`,
    "FILE: the aliases in it stand for too much. Write these parts out.",
  ],
  [
    "a list that contains itself",
    "stubs: &a [*a]",
    "FILE:1: stubs[0]: a stub must be an object with method, path and response",
  ],
  ["a body that contains itself", inBody("&a { b: *a }"), "FILE:2: stubs[0]: is nested deeper than 64 levels"],
  ["deep brackets", "[".repeat(2 ** 20), "FILE: is nested deeper than 64 levels"],
  ["a deep body", inBody(nested("[", "]", 63)), "FILE:2: stubs[0]: is nested deeper than 64 levels"],
  [
    "deep indentation",
    Array.from({ length: 1400 }, (__, depth) => `${" ".repeat(depth)}a:`).join("\n"),
    "nested deeper than 64 levels",
  ],
  [
    "the name __proto__",
    inBody("{ __proto__: { isAdmin: true } }"),
    "FILE:5: stubs[0].response.body.__proto__: has a name that JavaScript reserves. Use another one",
  ],
  [
    "a template with __proto__",
    inBody("'{{body.__proto__.x}}'"),
    "FILE:5: stubs[0].response.body: {{body.__proto__.x}} is not a template. Possible are",
  ],
  [
    "a template for the environment",
    inBody("'{{env.HOME}}'"),
    "FILE:5: stubs[0].response.body: {{env.HOME}} is not a template. Possible are {{id}}, {{now}}, {{query.NAME}}, {{header.NAME}} and {{body.FIELD}}",
  ],
  [
    "a template without an end",
    inBody("'{{id'"),
    "FILE:5: stubs[0].response.body: has {{ without the end of a template. Possible are {{id}}, {{now}}, {{query.NAME}}, {{header.NAME}} and {{body.FIELD}}",
  ],
  [
    "a key that is a list",
    "? [a]\n: 1\n",
    "FILE:1: must be an object with a list of stubs, such as stubs: [{ method: GET, path: /a, response: {} }]",
  ],
])("refuses %s in one line", async (_, content, message) => {
  const found = await read(content);
  expect(found).toContain(message);
  expect(String(found)).not.toContain("\n");
});

it("reads a map of many keys without comparing each with each", async () => {
  const fields = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join(", ");
  expect(await read(inBody(`{ ${fields} }`))).toHaveLength(1);
});

it("says that a file is missing", async () => {
  await expect(readStubs("--stubs", "none.yaml")).rejects.toThrow("--stubs none.yaml: file not found.");
});
