// What a person sees who set nothing up: the lines on the console.
import { describe, expect, it, vi } from "vitest";
import { clientOf, json, problem, type Step } from "./test-server.ts";

const roles = () => json(200, { roles: [] });

describe("what is printed without a logger", () => {
  const printed = () => {
    const lines: string[] = [];
    for (const level of ["warn", "error"] as const)
      vi.spyOn(console, level).mockImplementation((line) => lines.push(`${level} ${line}`));
    return lines;
  };
  const clockAt = (time: { ms: number }) => ({
    now: () => time.ms,
    setTimeout: (run: () => void, ms: number) => ms < 60_000 && run(),
    clearTimeout: () => {},
  });
  const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
  const lost = () => json(502, {});

  it("is one line a cause and a minute, with how many were left out", async () => {
    const lines = printed();
    const time = { ms: 0 };
    const failing = (status: number) => [json(status, {}), roles()];
    const script = [...failing(500), ...failing(500), ...failing(503), ...failing(500), ...failing(500)];
    const { client } = clientOf(script, { clock: clockAt(time), random: () => 0 });
    const copy = client.withOptions({ accountId: "b" });
    await client.roles.list();
    await copy.roles.list();
    await client.roles.list();
    time.ms = 59_999;
    await client.roles.list();
    time.ms = 60_000;
    await copy.roles.list();
    expect(lines).toEqual([
      "warn call-transfer: listRoles attempt 1 answered 500 in 0 ms; retried in 250 ms",
      "warn call-transfer: listRoles attempt 1 answered 503 in 0 ms; retried in 250 ms",
      "warn call-transfer: listRoles attempt 1 answered 500 in 0 ms; retried in 250 ms (and 2 more since the last such line)",
    ]);
  });

  it("is at most 100 lines a minute, however many causes there are", async () => {
    const lines = printed();
    const script = Array.from({ length: 150 }, (_, index) => [problem(500, `code_${index}`), roles()]).flat();
    const { client } = clientOf(script, { clock: clockAt({ ms: 0 }), random: () => 0, retry: { budget: false } });
    for (let request = 0; request < 150; request += 1) await client.roles.list();
    expect(lines).toHaveLength(100);
  });

  it.each<[string, string, Step[], string[]]>([
    [
      "a notice that an operation ends",
      "list",
      [json(200, { roles: [] }, { sunset: "Sat, 01 May 2027 00:00:00 GMT" })],
      ["warn call-transfer: listRoles will stop working on Sat, 01 May 2027 00:00:00 GMT"],
    ],
    [
      "a lost placement",
      "call",
      [lost(), lost()],
      [expect.stringMatching(/^error call-transfer: createCall may have been carried out\. Call reconcile\(\)/)],
    ],
  ])("is one line for %s, also if it comes again", async (_, what, script, expected) => {
    const lines = printed();
    const { client } = clientOf([...script, ...script], { clock: clockAt({ ms: 0 }) });
    for (let request = 0; request < 2; request += 1)
      await (what === "call" ? client.calls.create(call) : client.roles.list()).result();
    expect(lines).toEqual(expected);
  });

  it("is nothing with logLevel off, and all of it goes to a logger", async () => {
    const lines = printed();
    const seen: string[] = [];
    const log = (line: string) => seen.push(line);
    const logger = { debug: () => {}, info: log, warn: log, error: log };
    const script = () => [json(500, {}), roles(), json(500, {}), roles(), lost(), lost()];
    for (const options of [{ logLevel: "off" as const }, { logger }]) {
      const { client } = clientOf(script(), { clock: clockAt({ ms: 0 }), random: () => 0, ...options });
      for (let request = 0; request < 2; request += 1) await client.roles.list();
      for (let request = 0; request < 2; request += 1) await client.calls.create(call).result();
    }
    expect(lines).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  it.each(["a browser", "a Worker"])("is printed in %s as well", async (where) => {
    if (where === "a browser") vi.stubGlobal("document", {});
    else vi.stubGlobal("process", undefined);
    const lines = printed();
    const options = { clock: clockAt({ ms: 0 }), random: () => 0, allowApiKeyInBrowser: true };
    await clientOf([json(500, {}), roles()], options).client.roles.list();
    expect(lines).toHaveLength(1);
  });
});
