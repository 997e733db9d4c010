import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, promisify } from "node:util";
import { createBackend, demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { CallTransfer, isApiError, OutcomeUnknownError } from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { invoke } from "../../packages/contract/src/suite/client.ts";
import { runLine } from "../../packages/mock-server/tests/cli/run-line.ts";
import { responseSchemas } from "../../packages/spec/src/response-schemas.gen.ts";
import { pythonName } from "../../scripts/generate/text/python.ts";
import { relativeLinksIn } from "../../scripts/markdown.ts";
import { tsc } from "../../scripts/tsc.ts";
import { controlOperations } from "../api/control-pages.ts";
import { fieldsOf, limitsOf, typeOf } from "../api/fields.ts";
import { inputOf, lostAnswer, pythonProgramOf } from "../api/operation-page.ts";
import { apiPages } from "../api.ts";
import { allPages } from "../assemble.ts";
import { contents } from "../contents.ts";
import { serverUrl } from "../samples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ids = Object.keys(operations) as OperationId[];
const pages = new Map((await apiPages()).map(({ path, text }) => [path, text]));
const textOf = (id: string): string => pages.get(`reference/api/${id}.md`) ?? "";
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

it("each operation has a page in the sidebar, with its path, its callers and its error codes", () => {
  const listed = contents.flatMap(({ pages: names }) => names);
  for (const id of ids) {
    const { path, scope, errorCodes } = operations[id];
    expect(listed).toContain(`reference/api/${id}`);
    expect(textOf(id)).toContain(path.replaceAll("{", "&#123;").replaceAll("}", "&#125;"));
    expect(textOf(id)).toContain(`\`${scope}\``);
    expect(textOf(id)).toContain("Who may call it: ");
    for (const code of errorCodes) expect(textOf(id)).toContain(`[${code}](../../errors/${code}.md)`);
  }
});

it("each operation of the control plane has a section, and a row in the overview", () => {
  const all = controlOperations();
  expect(all.length).toBeGreaterThan(40);
  for (const { method, path, operation } of all) {
    expect(pages.get(`reference/control/${operation.tags[0]}.md`)).toContain(`\`${operation.operationId}\``);
    expect(pages.get("reference/control/index.md")).toContain(`\`${method} ${path}\``);
  }
});

it("every link leads to a page", async () => {
  const known = new Set((await allPages()).map(({ path }) => path));
  // The build checks links to the reference of the packages, and anchors.
  const isBuilt = (path: string) => /^reference\/(?:sdk|backend)\//.test(path);
  const broken = [...pages].flatMap(([path, text]) =>
    relativeLinksIn(text)
      .map((link) => posix.join(posix.dirname(path), link.replace(/#.*$/, "")))
      .filter((target) => !known.has(target) && !isBuilt(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

describe("the examples of responses", () => {
  const withBody = Object.entries(responseSchemas);
  it.each(withBody)("of %s match the schema", (id, schema) => {
    const [, responses = ""] = textOf(id).split("## Responses");
    const examples = blocksOf(responses, "json").map((text) => JSON.parse(text));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(schema.safeParse(example)).toMatchObject({ success: true });
  });
});

describe("the programs", () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/api-pages-"));
  for (const id of ids) writeFileSync(join(folder, `${id}.ts`), blocksOf(textOf(id), "ts")[0] ?? "");
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(ids)("of %s prints what the page shows", async (id) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import(pathToFileURL(join(folder, `${id}.ts`)).href);
    expect(`${log.mock.calls.map((values) => format(...values)).join("\n")}\n`).toBe(blocksOf(textOf(id), "text")[0]);
  });

  it("compile", async () => {
    const config = { extends: "../../tsconfig.base.json", include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const run = promisify(execFile)(process.execPath, [...tsc, "-p", folder]);
    expect((await run.catch((failed: { stdout: string }) => failed)).stdout).toBe("");
  });
});

describe("the programs in Python", () => {
  // packages/python/tests/test_examples.py runs these files, and judges their types and format.
  it.each(ids)("of %s are the files of examples/python; npm run record writes them", async (id) => {
    const file = `${root}examples/python/reference/${pythonName(id)}.py`;
    expect(blocksOf(textOf(id), "python")).toEqual([pythonProgramOf(id)]);
    await expect(pythonProgramOf(id)).toMatchFileSnapshot(file);
  });
});

describe("the commands", () => {
  let server: Awaited<ReturnType<typeof startMockServer>>;
  beforeAll(async () => {
    server = await startMockServer({ port: 0 });
  });
  afterAll(() => server.close());

  const statusOf = async (command: string): Promise<string> => {
    const here = command.trimEnd().replaceAll(serverUrl, server.url);
    const line = `${here} --silent --show-error --output /dev/null --write-out "%{http_code}"`;
    return (await promisify(execFile)("sh", ["-c", line])).stdout;
  };
  const wordsOf = (line: string) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  const runOwn = (line: string) => {
    const [first = "", ...rest] = wordsOf(line.trim().replace("npx @call-transfer/mock-server ", ""));
    return runLine(server.url, first, ...rest);
  };

  it.each(ids)("of %s get the success, and then the failure", async (id) => {
    await runLine(server.url, "sandbox", "reset");
    const [request = "", fault = ""] = blocksOf(textOf(id), "sh");
    expect(await statusOf(request)).toMatch(/^2/);
    await runOwn(fault);
    expect(await statusOf(request)).toBe("500");
  });

  it("of the webhook sends the event", async () => {
    await runLine(server.url, "sandbox", "reset");
    const [trigger = ""] = blocksOf(textOf("webhook-transfer-offer"), "sh");
    const { stdout } = await runOwn(trigger);
    expect(stdout).toContain("transfer.offer");
  });
});

describe("what a page says of a lost answer", () => {
  it.each(ids)("is what the SDK does: %s", async (id) => {
    const backend = createBackend();
    backend.faults.add(`${id} processThenDrop`);
    const client = new CallTransfer({
      baseUrl: "http://localhost",
      apiKey: demo.apiKey,
      fetch: backend.fetch,
      random: () => 0,
    });
    const ended = await invoke(client, id, inputOf(id)).then(
      () => "again",
      (error: unknown) => error,
    );
    const says = lostAnswer(id);
    if (ended instanceof OutcomeUnknownError) expect(says).toContain("OutcomeUnknownError");
    else if (isApiError(ended, "resource_already_exists")) expect(says).toContain("the second is refused");
    else expect([ended, says]).toEqual(["again", expect.stringContaining("sends the request again: to repeat it")]);
  });
});

describe("a table of fields", () => {
  const schemas = {
    Item: { type: "object", required: ["id"], properties: { id: { type: "string", description: "ID." } } },
    Named: { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 1, maxLength: 9 } } },
  };
  const pathsOf = (schema: object) =>
    fieldsOf(schema, schemas).map(({ path, required }) => (required ? path : `${path}?`));

  it("contains the fields inside fields, and those of referred schemas", () => {
    const list = {
      type: "object",
      required: ["items"],
      properties: { items: { type: "array", items: { $ref: "#/x/Item" } } },
    };
    expect(pathsOf(list)).toEqual(["items", "items[].id"]);
    expect(pathsOf({ allOf: [{ $ref: "#/x/Item" }, { $ref: "#/x/Named" }] })).toEqual(["id", "name"]);
  });

  it("requires a field of variants only if each requires it", () => {
    const either = { oneOf: [{ $ref: "#/x/Item" }, { allOf: [{ $ref: "#/x/Item" }, { $ref: "#/x/Named" }] }] };
    expect(pathsOf(either)).toEqual(["id", "name?"]);
  });

  it("ends at a depth, also where a schema contains itself", () => {
    const tree: Record<string, object> = { Tree: { properties: { child: { $ref: "#/x/Tree" } } } };
    expect(fieldsOf({ $ref: "#/x/Tree" }, tree, 2).map(({ path }) => path)).toEqual([
      "child",
      "child.child",
      "child.child.child",
    ]);
  });

  it.each([
    [{ minimum: 5, maximum: 60, default: 30 }, "5 to 60; default `30`"],
    [{ exclusiveMinimum: 0, maximum: 9 }, "above 0 to 9"],
    [{ minLength: 1 }, "at least 1 character"],
    [{ minItems: 1, maxItems: 10 }, "1 to 10 items"],
    [{ enum: ["a", null] }, "`a`, `null`"],
    [{ const: "a" }, "`a`"],
    [{ format: "date-time" }, "ISO 8601"],
    [{ pattern: "^a|b$" }, "`^a|b$`"],
    [{}, ""],
  ])("says what %j demands", (schema, text) => expect(limitsOf(schema)).toBe(text));

  it.each([
    [{ type: ["integer", "null"] }, "integer or null"],
    [{ type: "array", items: { type: "string" } }, "array of strings"],
    [{ type: "array", items: { $ref: "#/x/Item" } }, "array of objects"],
    [{ oneOf: [{ type: "string" }, { $ref: "#/x/Item" }, { type: "string" }] }, "string or object"],
    [{ enum: ["a", null] }, "string or null"],
    [{}, "any"],
  ])("names the type of %j", (schema, name) => expect(typeOf(schema, schemas)).toBe(name));
});
