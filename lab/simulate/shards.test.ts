import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readCommand } from "./options.ts";
import { hasPassed, type Report, reportLines } from "./report.ts";
import { runWorlds, simulate } from "./run.ts";
import { mergeReports, type NamedReport, readReport, type Shard, worldsOf } from "./shards.ts";

const run = { code: "abc", from: 40, seeds: 11, calls: 4 };

let plays = 0;
/** Some seeds fail, as if an invariant did not hold; seed 40 also differs when it plays twice. */
const play: typeof simulate = async (seed, calls) => {
  const outcome = await simulate(seed, calls);
  plays += 1;
  const violations = seed % 2 === 0 ? [{ invariant: "0 seeds are odd", message: `${seed} is even` }] : [];
  return { ...outcome, violations, ...(seed === 40 && { hash: `play ${plays}` }) };
};

async function report(shard: Shard): Promise<Report> {
  plays = 0;
  const range = { ...run, ...worldsOf(shard, run.seeds), attempts: undefined, trace: false };
  const result = await runWorlds(range, { play, print: () => {}, progress: () => {} });
  return { ...run, ...shard, ...result };
}

const named = (one: Report): NamedReport => ({ file: `${one.shard}.json`, report: one });
/** How long it took is all that may differ. */
const untimed = (one: Report): Report => ({ ...one, seconds: 1, coreSeconds: 1 });

let whole: Report;
let shards: readonly Report[];

beforeAll(async () => {
  whole = await report({ shard: 1, shards: 1 });
  const all: Report[] = [];
  for (const shard of [3, 1, 2]) all.push(await report({ shard, shards: 3 }));
  shards = all;
});

describe("three shards", () => {
  it("have the worlds of the run, none twice and about as many each", () => {
    expect(shards.map(({ hashes }) => hashes.length)).toEqual([4, 3, 4]);
    for (const seeds of [8, 9, 244, 1000]) {
      const parts = Array.from({ length: 8 }, (_, index) => worldsOf({ shard: index + 1, shards: 8 }, seeds));
      expect(parts.map(({ start }) => start)).toEqual([0, ...parts.slice(0, -1).map(({ end }) => end)]);
      expect(parts.at(-1)?.end).toBe(seeds);
    }
  });

  it("merge into the report of the whole run: failures, counts and digest", () => {
    const merged = mergeReports(shards.map(named));
    expect(untimed(merged)).toEqual(untimed(whole));
    expect(reportLines(untimed(merged))).toEqual(reportLines(untimed(whole)));
    expect(whole.failures.map(({ seed }) => seed)).toEqual([40, 42, 44, 46, 48, 50]);
    expect(whole.failures[0]?.violations.at(-1)?.invariant).toBe("14 same seed, same trace");
  });

  it("take as long as the slowest, and as much work as all", () => {
    const { seconds, coreSeconds } = mergeReports(
      shards.map((one) => named({ ...one, seconds: one.shard, coreSeconds: one.shard })),
    );
    expect({ seconds, coreSeconds }).toEqual({ seconds: 3, coreSeconds: 6 });
  });
});

describe("the text of a report", () => {
  it("has five failures in detail, the seeds of all, and the replay", () => {
    const text = reportLines(whole).join("\n");
    expect(text.match(/: FAILED$/gm)).toHaveLength(5);
    expect(text).toContain("6 seeds failed: 40, 42, 44, 46, 48, 50");
    expect(text).toContain("npm run lab -- simulate --from 42 --seeds 1 --calls 4 --trace");
    expect(hasPassed(whole)).toBe(false);
    expect(hasPassed({ ...whole, failures: [] })).toBe(true);
  });

  it("has another digest when one trace differs", () => {
    const digestOf = (one: Report) => /digest of all traces (.*)/.exec(reportLines(one).join("\n"))?.[1];
    expect(digestOf(whole)).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf({ ...whole, hashes: whole.hashes.with(3, "other") })).not.toBe(digestOf(whole));
  });

  it("fails a large run that did not cover everything, but not one shard of it", () => {
    const large = { ...whole, failures: [], totals: { ...whole.totals, worlds: 5000 } };
    expect(hasPassed(large)).toBe(false);
    expect(reportLines(large).join("\n")).toContain("not covered: ");
    expect(hasPassed({ ...large, shards: 8 })).toBe(true);
  });
});

describe("reports that are not all shards of one run", () => {
  /** All reports, the second one changed. */
  const changed = (changes: Partial<Report>): NamedReport[] =>
    shards
      .toSorted((one, other) => one.shard - other.shard)
      .map((one) => named(one.shard === 2 ? { ...one, ...changes } : one))
      .map((one, index) => ({ ...one, file: `${index + 1}.json` }));

  it.each<[string, () => readonly NamedReport[], string]>([
    ["none", () => [], "Missing files."],
    ["one missing", () => changed({}).slice(1), "The report of shard 1 of 3 is missing."],
    ["two missing", () => changed({}).slice(2), "The report of shard 1, 2 of 3 is missing."],
    ["one twice", () => [...changed({}), ...changed({}).slice(2)], "3.json and 3.json are both shard 3."],
    ["another seed", () => changed({ from: 41 }), "2.json is not of the same run as 1.json: from is 41, not 40."],
    ["another size", () => changed({ seeds: 12 }), "seeds is 12, not 11."],
    ["other calls", () => changed({ calls: 5 }), "calls is 5, not 4."],
    ["other code", () => changed({ code: "abd" }), "code is abd, not abc."],
    ["another number of shards", () => changed({ shards: 4 }), "shards is 4, not 3."],
    ["a shard beyond the last", () => changed({ shard: 4 }), "2.json is not complete."],
    ["a shard that stopped early", () => changed({ hashes: ["x"] }), "2.json is not complete. Run shard 2 of 3 again."],
  ])("are refused: %s", (_, reports, message) => {
    expect(() => mergeReports(reports())).toThrow(message);
  });
});

describe("the file of a report", () => {
  const write = (text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), "simulate-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "report.json");
    writeFileSync(file, text);
    return file;
  };

  it("is read as it was written", () => {
    expect(readReport(write(JSON.stringify(whole))).report).toEqual(whole);
  });

  it.each([
    ["no JSON", "{", "Cannot read"],
    ["another JSON", "{}", "is not a report of npm run lab -- simulate."],
  ])("is refused: %s", (_, text, message) => {
    expect(() => readReport(write(text))).toThrow(message);
  });

  it("that is absent is named", () => {
    expect(() => readReport("absent.json")).toThrow("Cannot read absent.json");
  });
});

describe("the command line", () => {
  it("takes a shard and a report", () => {
    expect(readCommand(["--seeds", "80", "--shard", "3/8", "--report", "3.json"])).toEqual({
      name: "run",
      options: { from: 0, seeds: 80, attempts: undefined, calls: undefined, trace: false, shard: 3, shards: 8 },
      report: "3.json",
    });
  });

  it("takes files to merge", () => {
    expect(readCommand(["--merge", "1.json", "2.json", "--report", "all.json"])).toEqual({
      name: "merge",
      files: ["1.json", "2.json"],
      report: "all.json",
    });
  });

  it.each([
    ["--shard 9/8", '--shard must be K/N with K from 1 to N, such as 3/8, not "9/8".'],
    ["--shard 0/8", "--shard must be K/N"],
    ["--shard 0/0", "--shard must be K/N"],
    ["--shard a/b", "--shard must be K/N"],
    ["--shard 3", "--shard must be K/N"],
    ["--shard 1/2/3", "--shard must be K/N"],
    ["--shard -1/8", "--shard"],
    ["--shard 1/8 --attempts 9", "--shard does not work with --attempts"],
    ["--merge 1.json --shard 1/8", "--shard does not work with --merge"],
    ["--merge 1.json --seeds 5", "--seeds does not work with --merge"],
    ["1.json", 'Unexpected argument "1.json". Files only follow --merge.'],
    ["--seeds many", '--seeds must be a whole number, not "many".'],
    ["--sharp 1/8", "'--sharp'"],
  ])("%s is an error", (line, message) => {
    expect(() => readCommand(line.split(" "))).toThrow(message);
  });

  it("does not split fewer seeds than shards", () => {
    expect(() => worldsOf({ shard: 1, shards: 8 }, 7)).toThrow("7 seeds cannot be split into 8 shards.");
  });
});
