import { demo } from "@call-transfer/backend";
import { afterAll, beforeEach, expect, it } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

const server = await startMockServer({ port: 0, clock: "frozen", now: "2026-03-02T12:00:00Z", autoSandboxes: true });
const { url, backend, sandboxes } = server;
beforeEach(() => backend.reset());
afterAll(() => server.close());

const api = (...args: string[]) => runLine(url, "api", ...args);

it("lists the operations with their arguments, optional ones in brackets", async () => {
  const { stdout } = await api();
  expect(stdout).toMatch(/^applyScenario +\S.* name$/m);
  expect(stdout).toMatch(/^listRequests +.*\[operationId\]/m);
});

it("calls an operation with arguments for its path, query and body, and prints its response as JSON", async () => {
  const { stdout } = await api("listRecords", "collection=members", `id=${demo.members.agent}`);
  expect(JSON.parse(stdout)).toMatchObject({ records: [{ id: demo.members.agent, role: "agent" }] });
  expect(JSON.parse((await api("listRequests", "operationId=listRoles")).stdout)).toEqual({ requests: [] });
  const clock = await api("updateClock", "now=2026-03-03T12:00:00Z");
  expect(JSON.parse(clock.stdout)).toMatchObject({ now: "2026-03-03T12:00:00.000Z" });
  await api("updateRecord", "collection=members", `id=${demo.members.agent}`, 'availability={"status":"offline"}');
  expect(backend.state.members.get(demo.members.agent)?.availability).toMatchObject({ status: "offline" });
});

it("says that an operation without a response succeeded, in any case of its name and in the sandbox that it is given", async () => {
  expect((await api("applyscenario", "name=flaky-503", "--sandbox", "other")).stdout).toBe("applyScenario succeeded.");
  expect([backend.faults.list().length, sandboxes.get("other")?.faults.list().length]).toEqual([0, 1]);
});

it("reads a value as its schema says, else as JSON, else as a text", async () => {
  const { stdout } = await api(
    ...["createRecord", "collection=contacts", `accountId=${demo.accountId}`, "number=+15550200077", "doNotCall=true"],
  );
  expect(JSON.parse(stdout)).toMatchObject({ number: "+15550200077", doNotCall: true });
  await api("addFault", "text=503");
  expect(backend.faults.list()).toMatchObject([{ do: { code: "service_unavailable" } }]);
});

it.each([
  [["lisFaults"], 'Unknown operation "lisFaults". Did you mean listFaults?'],
  [["nonsense"], `Unknown operation "nonsense". For all operations: npm -s start -- api --url ${url}`],
  [["applyScenario"], "api applyScenario: name is missing. Arguments: name."],
  [["applyScenario", "nam=flaky-503"], "api applyScenario: unknown argument nam. Did you mean name? Arguments: name."],
  [["applyScenario", "flaky-503"], "api applyScenario flaky-503: must be NAME=VALUE. Arguments: name."],
  [["applyScenario", "name=flaky"], "applyScenario: name: must be one of app-misses-offers, "],
  [["getClock", "now=1"], "api getClock: unknown argument now. Arguments: none."],
  [["streamEvents"], "The response of streamEvents is not JSON. Use the command: npm -s start -- events --follow"],
  [
    ["downloadBackup"],
    "The response of downloadBackup is not JSON. Use the command: npm -s start -- snapshot backup FILE",
  ],
])("rejects %j", async (args, message) => {
  await expect(api(...args)).rejects.toThrow(message);
});
