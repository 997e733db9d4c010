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

it("controls a mock server over HTTP and removes its sandboxes", async () => {
  const chosen = cases.filter(({ resource }) => ["webhooks", "members"].includes(resource));
  const runs: CaseResult[] = [];
  await mockServerAt(server.url).run(chosen, (run) => runs.push(run));
  expect(runs.filter(({ failure, missing }) => failure ?? missing)).toEqual([]);
  expect([runs.length, server.sandboxes.list()]).toEqual([chosen.length, ["default"]]);
});

it("recognizes a mock server", async () => {
  expect(await isMockServer(server.url)).toBe(true);
  await server.close();
  expect(await isMockServer(server.url)).toBe(false);
});
