import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Backend, createBackend, demo } from "@call-transfer/backend";
import type { JournalDetail } from "@call-transfer/backend/unstable";
import { CallTransfer } from "@call-transfer/sdk";
import { afterAll, expect, it } from "vitest";
import { type ExportedTest, testOf, testProblem } from "../src/data/code/export-test.ts";
import { call, exportable, told, unexportable } from "./exported-cases.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
// Inside the repository, where the packages are found.
const folder = mkdtempSync(join(cache, "exported-tests-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Exports a request of the journal as the page does. */
async function exported(backend: Backend, id: number): Promise<JournalDetail & ExportedTest> {
  const detail = backend.journal.get(id, { reveal: true });
  if (detail === undefined) throw new Error(`There is no request ${id}.`);
  const problem = testProblem(detail);
  if (problem !== undefined) return { ...detail, problem };
  const { method, path, query = {}, headers = {}, requestBody, operationId } = detail;
  const url = `http://localhost${path}?${new URLSearchParams(query)}`;
  const request = { method, url, headers, body: requestBody, operationId };
  const responses = await backend.rehearse(id);
  return { ...detail, ...testOf({ detail, request, snapshot: { ...backend.snapshot({ before: id }) }, responses }) };
}

/** Runs files with Vitest, by their names. Returns the failures by name. */
async function failuresOf(texts: ReadonlyMap<string, string>): Promise<readonly unknown[]> {
  for (const [name, text] of texts) writeFileSync(join(folder, `${name.replaceAll(/\W/g, "-")}.test.ts`), text);
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `export default { resolve: { conditions: ["@call-transfer/source"] }, ssr: { resolve: { conditions: ["@call-transfer/source", "node", "import", "default"], externalConditions: ["@call-transfer/source"] } }, test: { include: ["*.test.ts"], exclude: [], maxWorkers: 1, isolate: false } };`,
  );
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const report = join(folder, "report.json");
  const options = ["--root", folder, "--reporter", "json", "--outputFile", report];
  const run = promisify(execFile)(process.execPath, ["--conditions=@call-transfer/source", vitest, "run", ...options]);
  // A failure is in the report; without a report the next line fails.
  await run.catch(() => undefined);
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  const results = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((one) => ({ name, ...one })),
  );
  expect(results).toHaveLength(texts.size);
  return results
    .filter(({ status }) => status !== "passed")
    .map(({ name, failureMessages }) => [name.split("/").at(-1), failureMessages[0]]);
}

it("exports each request as a test that passes, whatever happened since", async () => {
  const texts = new Map<string, string>();
  const problems: unknown[] = [];
  for (const [name, story] of Object.entries(exportable)) {
    const { backend, id } = await told(story);
    const test = await exported(backend, id);
    if ("problem" in test) problems.push([name, test.problem]);
    else texts.set(name, test.text);
  }
  expect(problems).toEqual([]);
  expect(await failuresOf(texts)).toEqual([]);
});

it.each(Object.entries(unexportable))("says why there is no test of %s", async (_, [reason, story]) => {
  const { backend, id } = await told(story);
  expect(await exported(backend, id)).toMatchObject({ problem: reason });
});

it("expects what the backend made as any text, and the rest as it was", async () => {
  const { backend, id } = await told(async (_backend, client) => {
    await client.destinations.rotateSecret(demo.destinations.app);
  });
  const test = await exported(backend, id);
  const [, expectation = ""] = ("text" in test ? test.text : "").split("toMatchObject(");
  expect(expectation).toContain("signingSecret: expect.any(String)");
  expect(expectation).toContain("signingSecretHint: expect.any(String)");
  expect(expectation).toContain(`id: "${demo.destinations.app}"`);
});

it("replaces each phone number by an invented one, everywhere by the same", async () => {
  const { backend, id } = await told(async (_backend, client) => void (await client.calls.create(call)));
  const test = await exported(backend, id);
  const text = "text" in test ? test.text : "";
  for (const number of [...Object.values(demo.numbers), ...Object.values(demo.recipients)])
    expect(text).not.toContain(number);
  const [sent = ""] = /(?<=fromNumber: ")\+\d+/.exec(text) ?? [];
  expect(sent).toHaveLength(call.fromNumber.length);
  expect(text.split(sent).length).toBeGreaterThan(2);
});

it("leaves the sandbox as it is", async () => {
  const { backend, id } = await told(async (_backend, client) => void (await client.calls.create(call)));
  const before = [backend.snapshot(), backend.journal.list(), backend.deliveries.list()];
  await backend.rehearse(id);
  expect([backend.snapshot(), backend.journal.list(), backend.deliveries.list()]).toEqual(before);
});

it.each<[string, Partial<JournalDetail>, string]>([
  ["matches no operation", { operationId: undefined } as object, "No operation matches"],
  ["the server refused", { decidedBy: { step: "gate" } }, "The backend did not answer"],
  ["got no response", { status: 0, fault: "fault-1" }, "fault-1 withheld it"],
  ["has no credential", { headers: {} }, "always sends a bearer credential"],
  ["is no longer kept", { headers: undefined } as object, "no longer kept"],
])("says why a request that %s is no test", async (_, about, reason) => {
  const backend = createBackend();
  await new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch }).roles.list();
  const detail = backend.journal.get(1);
  if (detail === undefined) throw new Error("There is no request.");
  expect(testProblem({ ...detail, ...about })).toContain(reason);
});

/** What the JSON reporter of Vitest writes. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}
