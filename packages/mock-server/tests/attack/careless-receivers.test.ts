import { afterAll, describe, expect, it } from "vitest";
import { attackReceiver } from "../../src/attack.ts";
import { mistakes, secrets } from "./careless-receivers.ts";
import { type Steps, startReceiver } from "./receiver-steps.ts";

const close: (() => unknown)[] = [];
afterAll(() => {
  for (const one of close) one();
});

async function attack(steps: Partial<Steps>) {
  const receiver = await startReceiver({ secrets: [secrets.secret, secrets.previousSecret], ...steps });
  close.push(receiver.close);
  // A busy machine may stall for longer than the attack waits by default. What is late then would be a finding.
  return attackReceiver({ ...secrets, patient: true, url: receiver.url, handled: receiver.handled });
}

describe.concurrent("a receiver that", () => {
  it("is correct passes every check", async () => {
    const { findings, checks } = await attack({});
    expect(findings).toEqual([]);
    expect(checks.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  });

  it.each(Object.entries(mistakes))(
    "%s gets the findings about it",
    async (_, { steps, findings, isByChance = false }) => {
      const report = await attack(steps);
      const failed = [...new Set(report.findings.map(({ check }) => check))];
      expect(failed).toEqual(expect.arrayContaining([...findings]));
      if (!isByChance) expect(failed.filter((check) => !findings.includes(check))).toEqual([]);
    },
  );
});
