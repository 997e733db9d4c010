import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { expect, it, onTestFinished } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

async function start() {
  const server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z" });
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
  const send = (id: "createCall" | "listRoles", body?: object) => {
    const { method, path } = operations[id];
    return fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const run = async (...args: [string, ...string[]]) => (await runLine(server.url, ...args)).stdout;
  return { ...server, send, run };
}

it("shows what a request changed and which timers it set, and its secrets on demand", async () => {
  const { send, run } = await start();
  const { published: flowId } = demo.flows;
  await send("createCall", { flowId, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone });
  expect(JSON.parse(await run("requests", "last"))).toMatchObject({
    status: 201,
    changes: [{ collection: "calls" }],
    timers: [{ at: "2026-03-02T12:01:00.000Z" }],
    headers: { authorization: "Bearer [redacted]" },
  });
  expect(JSON.parse(await run("requests", "last", "--redact", "false"))).toMatchObject({
    headers: { authorization: `Bearer ${demo.apiKey}` },
  });
});

it("says whether there are no requests, or none that match", async () => {
  const { send, run } = await start();
  expect(await run("requests", "--status", "500")).toBe("No requests yet.");
  await expect(run("requests", "last")).rejects.toThrow(/^There are no requests yet\.$/);
  await send("listRoles");
  expect(await run("requests", "--status", "500")).toBe("No request matches.");
  expect(await run("events", "--type", "delivery")).toBe("No event matches.");
});

it("counts error codes and refused requests", async () => {
  const { url, backend, run } = await start();
  await fetch(url + operations.listRoles.path);
  backend.record({
    ...{ method: "GET", url: new URL(url), headers: new Headers(), status: 400, durationMs: 0 },
    decidedBy: { step: "server", detail: "Duplicate header host. Send it once." },
  });
  const counted = await run("coverage", "--codes");
  expect(counted).toMatch(/^listRoles +token_missing×1 +/m);
  expect(counted).toMatch(/rejected by the server: 1\.$/);
});
