import { startMockServer } from "@call-transfer/mock-server";
import { expect, it } from "vitest";
import { cases } from "../../src/cases/index.ts";
import type { CaseResult } from "../../src/suite/run.ts";
import { mockServerAt } from "../../targets/http.ts";

it("controls a mock server over HTTP and removes its sandboxes", async () => {
  const server = await startMockServer({ port: 0 });
  try {
    const chosen = cases.filter(({ resource }) => ["webhooks", "members"].includes(resource));
    const runs: CaseResult[] = [];
    await mockServerAt(server.url).run(chosen, (run) => runs.push(run));
    expect(runs.filter(({ failure, missing }) => failure ?? missing)).toEqual([]);
    expect([runs.length, server.sandboxes.list()]).toEqual([chosen.length, ["default"]]);
  } finally {
    await server.close();
  }
});
