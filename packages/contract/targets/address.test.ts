import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { isMockServer, mockServerAt } from "./address.ts";

let server: MockServer;
beforeEach(async () => {
  server = await startMockServer({ port: 0 });
});
afterEach(() => server.close());

it("drives a mock server elsewhere over its control plane, and leaves nothing behind", async () => {
  const chosen = cases.filter(({ noun }) => ["webhooks", "members"].includes(noun));
  const runs: CaseResult[] = [];
  await mockServerAt(server.url).run(chosen, (run) => runs.push(run));
  expect(runs.filter(({ failure, missing: hindrances }) => failure ?? hindrances)).toEqual([]);
  expect([runs.length, server.sandboxes.list()]).toEqual([chosen.length, ["default"]]);
});

it("tells a mock server from others", async () => {
  expect(await isMockServer(server.url)).toBe(true);
  await server.close();
  expect(await isMockServer(server.url)).toBe(false);
});
