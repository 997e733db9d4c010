// The pages of error codes and of the API: their programs and commands do what the pages say.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, promisify } from "node:util";
import { startMockServer } from "@call-transfer/mock-server";
import { errorCodes, fieldErrorCodes, limits, type OperationId, operations } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runLine } from "../../packages/mock-server/tests/cli/run-line.ts";
import { responseSchemas } from "../../packages/spec/src/response-schemas.gen.ts";
import { pythonName } from "../../scripts/generate/text/python.ts";
import { relativeLinksIn } from "../../scripts/markdown.ts";
import { tsc } from "../../scripts/tsc.ts";
import { controlOperations } from "../api/control-pages.ts";
import { fieldsOf, limitsOf, typeOf } from "../api/fields.ts";
import { allPages } from "../assemble.ts";
import { serverUrl } from "../samples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ids = Object.keys(operations) as OperationId[];
const codes: readonly string[] = [...Object.keys(errorCodes), ...fieldErrorCodes];
const pages = new Map((await allPages()).map(({ path, text }) => [path, text]));
const pageOf = (path: string): string => pages.get(`${path}.md`) ?? "";

/** The blocks of a language in a page, in its order. */
const blocksOf = (path: string, language: string): string[] =>
  [...pageOf(path).matchAll(new RegExp(`^\`\`\`${language}(?: \\[\\w+\\])?\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );

const errorPages = codes.map((code) => `errors/${code}`);
const operationPages = ids.map((id) => `reference/api/${id}`);

it("each code has a page with its name as the title, and a place in the list", () => {
  for (const code of codes) {
    expect(pageOf(`errors/${code}`)).toMatch(new RegExp(`^# ${code}$`, "m"));
    expect(pageOf("errors/index")).toContain(`| [${code}](${code}.md) |`);
  }
});

const again = `sends the request again, up to ${limits.clientMaxRetries} times.`;
it.each([
  ["internal_error", `For reading, removing hours, or creating a group, the SDK ${again} For placing a call`],
  ["internal_error", "or rotating a secret, it throws `OutcomeUnknownError`."],
  ["rate_limit_exceeded", `For every operation, the SDK ${again}`],
  ["validation_failed", "For every operation, the SDK throws the error."],
  ["token_expired", "the SDK calls it for a new token first"],
])("the page of %s says: %s", (code, text) => expect(pageOf(`errors/${code}`)).toContain(text));

it.each(ids)("the page of %s has its path, its callers and its error codes", (id) => {
  const { path, scope, errorCodes: answered } = operations[id];
  const links = answered.map((code) => `[${code}](../../errors/${code}.md)`);
  for (const text of [`\`${path}\``, `\`${scope}\``, "Who may call it: ", ...links])
    expect(pageOf(`reference/api/${id}`)).toContain(text);
});

it("each operation of the control plane has a section, and a row in the overview", () => {
  const all = controlOperations();
  expect(all.length).toBeGreaterThan(30);
  for (const { method, path, operation } of all) {
    expect(pageOf(`reference/control/${operation.tags[0]}`)).toContain(`\`${operation.operationId}\``);
    expect(pageOf("reference/control/index")).toContain(`\`${method} ${path}\``);
  }
});

it("every link of a generated page leads to a page", () => {
  // The build checks links to the reference of the packages, and anchors.
  const isBuilt = (path: string) => /^reference\/(?:sdk|backend)\//.test(path);
  const broken = [...pages]
    .filter(([path]) => /^(?:errors|reference)\//.test(path))
    .flatMap(([path, text]) =>
      relativeLinksIn(text)
        .map((link) => posix.join(posix.dirname(path), link.replace(/#.*$/, "")))
        .filter((target) => target.endsWith(".md") && !pages.has(target) && !isBuilt(target))
        .map((target) => `${path}: ${target}`),
    );
  expect(broken).toEqual([]);
});

it.each(Object.entries(responseSchemas))("the examples of responses of %s match the schema", (id, schema) => {
  const examples = blocksOf(`reference/api/${id}`, "json").map((text) => JSON.parse(text));
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(schema.safeParse(example)).toMatchObject({ success: true });
});

describe("the programs", () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/pages-"));
  const programs = [...errorPages, ...operationPages].map((page) => {
    const file = join(folder, `${page.replaceAll("/", "-")}.ts`);
    writeFileSync(file, blocksOf(page, "ts")[0] ?? "");
    return { page, file };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(programs)("of $page prints what the page shows", async ({ page, file }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import(pathToFileURL(file).href);
    const [output = ""] = blocksOf(page, "text");
    expect(log.mock.calls.map((values) => `${format(...values)}\n`).join("")).toBe(output);
    if (page.startsWith("errors/")) expect(output).toContain(` ${page.slice("errors/".length)} `);
  });

  it("compile", async () => {
    const config = { extends: "../../tsconfig.base.json", include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const run = promisify(execFile)(process.execPath, [...tsc, "-p", folder], { cwd: root });
    expect((await run.catch((failed: { stdout: string }) => failed)).stdout).toBe("");
  });
});

// packages/python/tests/test_examples.py runs these files, and judges their types and format.
it.each(ids)("the program of %s in Python is a file of examples/python; npm run record writes it", async (id) => {
  const [program] = blocksOf(`reference/api/${id}`, "python");
  await expect(program).toMatchFileSnapshot(`${root}examples/python/reference/${pythonName(id)}.py`);
});

describe("the commands", () => {
  let server: Awaited<ReturnType<typeof startMockServer>>;
  beforeAll(async () => {
    server = await startMockServer({ port: 0 });
  });
  afterAll(() => server.close());

  const prefix = "npx @call-transfer/mock-server ";
  const wordsOf = (line: string) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);

  /** Runs the lines of a block: our commands in this process, curl as a program. Returns what was printed last. */
  async function runBlock(block: string): Promise<string> {
    let printed = "";
    for (const line of block.trimEnd().split(/(?<!\\)\n/)) {
      if (line.startsWith(prefix)) {
        const [first = "", ...rest] = wordsOf(line.slice(prefix.length));
        printed = (await runLine(server.url, first, ...rest)).stdout;
      } else {
        expect(line).toMatch(/^curl /);
        const here = line.replaceAll(serverUrl, server.url);
        const shell = `${here} --silent --show-error --write-out "\\n%{http_code}"`;
        printed = (await promisify(execFile)("sh", ["-c", shell])).stdout;
      }
    }
    return printed;
  }

  // The programs above get every code, so that some commands are enough.
  it.each(errorPages.filter((_, index) => index % 6 === 0 || index > errorPages.length - 3))(
    "of %s get that error from the server",
    async (page) => {
      await runLine(server.url, "sandbox", "reset");
      const [block = ""] = blocksOf(page, "sh");
      expect(await runBlock(block)).toContain(`"code":"${page.slice("errors/".length)}"`);
    },
  );

  it.each(operationPages)("of %s get the success, and then the failure", async (page) => {
    await runLine(server.url, "sandbox", "reset");
    const [request = "", fault = ""] = blocksOf(page, "sh");
    expect(await runBlock(request)).toMatch(/\n2\d\d$/);
    await runBlock(fault);
    expect(await runBlock(request)).toMatch(/\n500$/);
  });

  it("of the webhook sends the event", async () => {
    const [trigger = ""] = blocksOf("reference/api/webhook-transfer-offer", "sh");
    expect(await runBlock(trigger)).toContain("transfer.offer");
  });
});

describe("a table of fields", () => {
  const schemas = {
    Item: { type: "object", required: ["id"], properties: { id: { type: "string", description: "ID." } } },
    Named: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    Tree: { properties: { child: { $ref: "#/x/Tree" } } },
  };
  const [item, named] = [{ $ref: "#/x/Item" }, { $ref: "#/x/Named" }];

  it.each([
    ["fields inside fields", { properties: { items: { type: "array", items: item } } }, ["items?", "items[].id"]],
    ["those of several schemas", { allOf: [item, named] }, ["id", "name"]],
    ["one of a variant as optional", { oneOf: [item, { allOf: [item, named] }] }, ["id", "name?"]],
    [
      "a schema that contains itself to a depth",
      { $ref: "#/x/Tree" },
      ["child?", "child.child?", "child.child.child?"],
    ],
  ])("has %s", (_, schema, paths) => {
    const shown = fieldsOf(schema, schemas, 2).map(({ path, required }) => (required ? path : `${path}?`));
    expect(shown).toEqual(paths);
  });

  it.each([
    [{ type: "integer", minimum: 5, maximum: 60, default: 30 }, "integer", "5 to 60; default `30`"],
    [{ exclusiveMinimum: 0, maximum: 9 }, "any", "above 0 to 9"],
    [{ type: ["string", "null"], minLength: 1 }, "string or null", "at least 1 character"],
    [{ type: "array", items: item, minItems: 1, maxItems: 10 }, "array of objects", "1 to 10 items"],
    [{ enum: ["a", null] }, "string or null", "`a`, `null`"],
    [{ type: "string", format: "date-time" }, "string", "ISO 8601"],
    [{ oneOf: [{ type: "string" }, item] }, "string or object", ""],
  ])("says what %j demands", (schema, type, limits) => {
    expect([typeOf(schema, schemas), limitsOf(schema)]).toEqual([type, limits]);
  });
});
