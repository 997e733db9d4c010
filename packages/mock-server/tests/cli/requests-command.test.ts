import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

it("shows what a request changed and which timers it set", async () => {
  const server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z" });
  try {
    const { path, method } = operations.createCall;
    await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        flowId: demo.flows.published,
        fromNumber: demo.numbers.working,
        toNumber: demo.recipients.anyone,
      }),
    });
    const { stdout } = await runLine(server.url, "requests", "last");
    expect(stdout).toMatch(/^Changes:\nadded calls [-\da-f]{36}$/m);
    expect(stdout).toMatch(/^Timers:\n2026-03-02T12:01:00\.000Z {2}\S+ {2}[-\da-f]{36}$/m);
  } finally {
    await server.close();
  }
});

it("replays the last request, reveals its secrets, and marks both in the list", async () => {
  const server = await startMockServer({ port: 0, clockMode: "frozen" });
  try {
    await fetch(server.url + operations.listRoles.path, { headers: { authorization: `Bearer ${demo.apiKey}` } });
    server.sandboxes.default.record({
      ...{ method: "GET", url: new URL(server.url), headers: new Headers(), status: 400, durationMs: 1 },
      decidedBy: { step: "server" },
    });
    const run = (...args: string[]) => runLine(server.url, "requests", ...args).then(({ stdout }) => stdout);
    expect(await run("replay", "1")).toMatch(/^response +200\n(?:.*\n)*replay of +1\n/m);
    await expect(run("replay", "2")).rejects.toThrow("request 2 did not reach the backend");
    await expect(run("replay")).rejects.toThrow("Missing REQUEST. Usage: npm -s start -- requests replay last");
    expect(await run("last")).toMatch(/^authorization +Bearer \[redacted\]$/m);
    expect(await run("last", "--redact", "false")).toMatch(new RegExp(`^authorization +Bearer ${demo.apiKey}$`, "m"));
    const [titles, ...rows] = (await run()).split("\n").map((line) => line.split(/ {2,}/).slice(-2));
    expect([titles?.at(-1), rows[2]?.at(-1)]).toEqual(["REPLAY OF", "1"]);
  } finally {
    await server.close();
  }
});

it("says whether there are no requests, or none that match", async () => {
  const server = await startMockServer({ port: 0, clockMode: "frozen" });
  try {
    const run = (...args: string[]) => runLine(server.url, "requests", ...args).then(({ stdout }) => stdout);
    expect(await run("--status", "500")).toBe("No requests yet.");
    await expect(run("last")).rejects.toThrow(/^There are no requests yet\.$/);
    await fetch(server.url + operations.listRoles.path);
    expect(await run("--status", "500")).toBe("No request matches.");
    const events = await runLine(server.url, "events", "--type", "delivery");
    expect(events.stdout).toBe("No event matches.");
  } finally {
    await server.close();
  }
});

it("counts error codes and refused requests", async () => {
  const server = await startMockServer({ port: 0, clockMode: "frozen" });
  try {
    await fetch(server.url + operations.listRoles.path);
    const url = new URL(server.url);
    server.backend.record({
      ...{ method: "GET", url, headers: new Headers(), status: 400, durationMs: 0 },
      decidedBy: { step: "server", detail: "Duplicate header host. Send it once." },
    });
    const { stdout } = await runLine(server.url, "coverage", "--codes");
    expect(stdout).toMatch(/^listRoles +token_missing×1 +/m);
    expect(stdout).toMatch(/rejected by the server: 1\.$/);
  } finally {
    await server.close();
  }
});
