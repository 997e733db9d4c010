import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { startMockServer } from "../src/server/server.ts";
import { runLine } from "./run-line.ts";

it("shows what a request changed and which timers it set", async () => {
  const server = await startMockServer({ port: 0, clock: "frozen", now: "2026-03-02T12:00:00Z" });
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
