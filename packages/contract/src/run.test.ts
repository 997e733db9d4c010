import { describe, expect, it } from "vitest";
import { contractCase } from "./case.ts";
import { runCase } from "./run.ts";
import type { Target } from "./target.ts";

/** A target that can do nothing but answer a broken list of accounts. */
const broken: Target = {
  name: "broken",
  baseUrl: "http://localhost",
  fetch: async () => Response.json({}, { headers: { "X-Request-Id": "r1" } }),
  can: {
    stateful: false,
    validates: false,
    auth: false,
    clock: false,
    faults: false,
    policies: false,
    webhooks: false,
    destructive: false,
  },
  as: async () => ({}),
  given: async () => {},
};

describe("running a case", () => {
  it("leaves out what the target cannot do, and says what that is", async () => {
    const needy = contractCase({ noun: "any", name: "needy", needs: ["clock", "stateful"], run: async () => {} });
    expect((await runCase(needy, broken)).notRun).toBe("broken cannot do: clock, stateful");
  });

  it("fails a case of which an answer broke the contract, whatever the case itself says", async () => {
    const careless = contractCase({
      noun: "any",
      name: "careless",
      needs: [],
      run: async (target) => void (await target.fetch("http://localhost/api/v1/accounts")),
    });
    expect((await runCase(careless, broken)).failure?.message).toContain("GET /api/v1/accounts → 200: body");
  });

  it("reports what a case threw", async () => {
    const strict = contractCase({
      noun: "any",
      name: "strict",
      needs: [],
      run: async (_target, check) => check.equal({ b: 1, a: 2 }, { a: 2, b: 3 }, "answer"),
    });
    expect((await runCase(strict, broken)).failure?.message).toBe('answer: expected {"a":2,"b":3}, met {"a":2,"b":1}');
  });
});
