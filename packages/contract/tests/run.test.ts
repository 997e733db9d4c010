import { describe, expect, it } from "vitest";
import { casesFor } from "../src/suite/case.ts";
import { runCase } from "../src/suite/run.ts";
import type { Target } from "../src/suite/target.ts";

/** A target that returns an invalid list of accounts. */
const broken: Target = {
  name: "broken",
  baseUrl: "http://localhost",
  fetch: async () => Response.json({}, { headers: { "X-Request-Id": "r1" } }),
  unsupported: { clock: "it has none", state: "it forgets" },
  credentialsFor: async () => ({}),
  seed: async () => {},
};

const declare = casesFor("any");
const careless = declare("careless", async (target) => void (await target.fetch("http://localhost/api/v1/accounts")));
const harmless = declare("harmless", async () => {});

describe("runCase", () => {
  it("does not run a case with missing capabilities, and names them", async () => {
    const needy = casesFor("any", ["clock", "state"])("needy", async () => {});
    expect((await runCase(needy, broken)).missing).toEqual([
      { capability: "clock", reason: "it has none" },
      { capability: "state", reason: "it forgets" },
    ]);
  });

  it("fails a case with an invalid response, even if the case itself passes", async () => {
    expect((await runCase(careless, broken)).failure).toContain("GET /api/v1/accounts → 200: body");
  });

  it("reports the error of a case", async () => {
    const strict = declare("strict", async (_target, check) => check.equal({ b: 1, a: 2 }, { a: 2, b: 3 }, "answer"));
    expect((await runCase(strict, broken)).failure).toBe(
      'Violation: answer: expected {"a":2,"b":3}, got {"a":2,"b":1}',
    );
  });

  it("includes the requests and responses of a failed case", async () => {
    const { trace } = await runCase(careless, broken);
    expect(trace).toEqual(["GET /api/v1/accounts (no credential)", "→ 200 (X-Request-Id r1) {}"]);
  });

  it("reports an expected failure as a deviation", async () => {
    const run = await runCase(careless, { ...broken, knownDeviation: () => "it lists nothing" });
    expect([run.failure, run.deviation]).toEqual([undefined, "it lists nothing"]);
  });

  it("fails a listed deviation that passes", async () => {
    const run = await runCase(harmless, { ...broken, knownDeviation: () => "it lists nothing" });
    expect(run.failure).toContain("listed as a deviation: it lists nothing");
  });

  it("returns a result that can be sent as JSON", async () => {
    const run = await runCase(careless, broken);
    expect(JSON.parse(JSON.stringify(run))).toEqual(run);
  });
});
