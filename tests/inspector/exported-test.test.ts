import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Backend, createBackend, demo, type JournalDetail } from "@call-transfer/backend";
import { CallTransfer, type ClientOptions } from "@call-transfer/sdk";
import { afterAll, expect, it } from "vitest";
import { testFileName, testOf, testProblem } from "../../packages/mock-server/src/inspector/data/export-test.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
// Inside the repository, where the packages are found.
const folder = mkdtempSync(join(cache, "exported-tests-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { flows, numbers, recipients, destinations, members } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

/** Exports a request of the journal as the page does. */
function exported(backend: Backend, id: number): JournalDetail & { text: string } {
  const read = (one: number) => {
    const detail = backend.journal.get(one, { reveal: true });
    if (detail === undefined) throw new Error(`There is no request ${one}.`);
    return detail;
  };
  const detail = read(id);
  const { method, path, query = {}, headers = {}, requestBody, operationId } = detail;
  const url = `http://localhost${path}?${new URLSearchParams(query)}`;
  const later = backend.journal.list({ after: id }).map((entry) => read(entry.id));
  const request = { method, url, headers, body: requestBody, operationId };
  const text = testOf({ detail, request, snapshot: { ...backend.snapshot() }, later: later.toReversed() });
  return { ...detail, text };
}

/** A session of many requests, each exported at its end. */
async function session(): Promise<readonly (JournalDetail & { text: string })[]> {
  const backend = createBackend({ now: "2026-03-02T12:00:00Z" });
  const { fetch, keys } = backend;
  const client = (options: Partial<ClientOptions> = { apiKey: demo.apiKey }) =>
    new CallTransfer({ baseUrl: "http://localhost", fetch, maxRetries: 0, ...options });
  const agent = backend.state.members.get(members.agent);
  const accessToken = await keys.issueToken({ userId: agent?.userId ?? "" });
  const { calls, destinations: apps, destinationGroups, members: people, roles } = client();
  const group = { name: "Front desk", members: [{ destinationId: destinations.phone }] };
  await calls.create(call);
  await backend.clock.advance({ by: 1000 });
  await calls.list({ limit: 2 });
  await destinationGroups.create(group);
  await destinationGroups.create(group).result();
  await apps.rotateSecret(destinations.app);
  await people.deleteHours(members.agent);
  await people.getAvailability(members.agent);
  await calls.create({ ...call, toNumber: "nobody" }).result();
  backend.faults.add({ match: { operationId: "listRoles" }, do: { code: "service_unavailable" } });
  await roles.list().result();
  backend.faults.add({ match: { operationId: "listRoles" }, do: { status: 418, body: { made: "of tea" } } });
  await roles.list().result();
  await client({ accessToken, accountId: demo.accountId }).destinationGroups.create(group).result();
  await client({ accessToken: `${accessToken}x`, accountId: demo.accountId })
    .roles.list()
    .result();
  await client({ apiKey: keys.issueApiKey({ state: "revoked" }).key })
    .roles.list()
    .result();
  return backend.journal.list().map(({ id }) => exported(backend, id));
}

it("exports requests as tests that run and pass", async () => {
  const files = await session();
  expect(files.map((file) => [file.status, testProblem(file)])).toEqual(
    [201, 200, 201, 409, 200, 204, 200, 400, 503, 418, 403, 401, 401].map((status) => [status, undefined]),
  );
  for (const file of files) writeFileSync(join(folder, testFileName(file)), file.text);
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
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(results).toHaveLength(files.length);
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
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}
