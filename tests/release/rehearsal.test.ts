import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { releaseDifferences } from "../../scripts/release/rehearsal/expectation.ts";
import { versionsOf } from "../../scripts/release/rehearsal/kind.ts";
import { kinds } from "../../scripts/release/rehearsal/kinds.ts";
import { known } from "../../scripts/release/rehearsal/workflow.ts";

const page = readFileSync(new URL("../../docs/releasing.md", import.meta.url), "utf8");
const workflow = readFileSync(new URL("../../.github/workflows/release.yml", import.meta.url), "utf8");
const sdk = "@call-transfer/sdk";
const published = (tags: Record<string, string>) => new Map([[sdk, { versions: {}, tags }]]);

describe("the rehearsal of releases", () => {
  it("knows every expression of the workflow", () => {
    const used = [...workflow.matchAll(/\$\{\{ (.+?) \}\}/g)].map(([, name = ""]) => name);
    const later = /^(?:needs|steps)\.plan\.outputs\.(?:propose|publish|python|commit|unreleased|uv)$|^github\.ref$/;
    expect(used.filter((name) => !later.test(name) && !(name in known("main", "/tmp")))).toEqual([]);
  });

  it("is described kind by kind on the page", () => {
    const [, table = ""] = page.split("| Kind | Name |");
    const [rows = ""] = table.split("\n\n");
    expect([...rows.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(kinds.map(({ name }) => name).sort());
  });

  it("refuses the name of a kind that it does not have", () => {
    const program = [
      "--conditions=@call-transfer/source",
      fileURLToPath(new URL("../../scripts/release/rehearse.ts", import.meta.url)),
    ];
    const { status, stderr } = spawnSync(process.execPath, [...program, "patchh"], { encoding: "utf8" });
    expect(stderr).toMatch(/Unknown kind patchh\. Use one of first, patch, /);
    expect(status).toBe(1);
  });

  it("reports a tag that is not as it must be, and a tag too many", () => {
    const expected = { latest: versionsOf("1.0.0 1.0.1 1.0.0 0.2.0 0.2.0 0.2.0"), customer: {} };
    expect(releaseDifferences(expected, published({ latest: "1.0.1" }))).toEqual([]);
    expect(releaseDifferences(expected, published({ latest: "1.0.0", next: "2.0.0-next.0" }))).toEqual([
      `dist-tags of ${sdk}: {"latest":"1.0.0","next":"2.0.0-next.0"} instead of {"latest":"1.0.1"}`,
    ]);
  });

  it("reports what a release did otherwise", () => {
    const facts = [["the job that failed", "check", "publish"]] as const;
    expect(releaseDifferences({ facts, latest: {}, customer: {} }, new Map())).toEqual([
      'the job that failed: "check" instead of "publish"',
    ]);
  });
});
