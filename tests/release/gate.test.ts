import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../scripts/packed.ts";
import { ensureEnvironment } from "../../scripts/python.ts";
import { recordFile, releasesIn } from "../../scripts/release/record.ts";
import { cloneWorkspace, commitAll, forgetReleases, replaceIn } from "../../scripts/release/rehearsal/clone.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const withinMs = 900_000;

/** An edit of released code, with what the gate must say of it. */
interface Edit {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly says: string;
}

function readEdits(): Edit[] {
  const text = readFileSync(new URL("released-edits.txt", import.meta.url), "utf8");
  return text.split(/^# /m).flatMap((section) => {
    const [file = "", ...rows] = section.trimEnd().split("\n");
    return rows.map((row): Edit => {
      const [what = "", edit = "", says = ""] = row.split(" :: ");
      const [from = "", to = ""] = edit.replaceAll(String.raw`\n`, "\n").split(" --> ");
      return { what, file, from, to, says };
    });
  });
}

// Runs in a clone of the last commit that records it as the first release, so that only the changes of a test count.
describe("the release gate", { timeout: withinMs }, () => {
  let folder = "";
  let recorded = "";
  const at = (...path: string[]): string => join(folder, "clone", ...path);
  const node = (...parameters: string[]) => {
    const { status, stdout, stderr } = spawnSync("node", parameters, {
      cwd: at(),
      encoding: "utf8",
      timeout: withinMs,
    });
    return { status, said: `${stdout}${stderr}` };
  };
  const gate = (...options: string[]) =>
    node("--conditions=@call-transfer/source", "scripts/release/gate.ts", ...options);
  const expectPass = (...options: string[]): void => {
    const { status, said } = gate(...options);
    expect(status, said).toBe(0);
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "call-transfer-gate-"));
    cloneWorkspace(root, at(), run(root, "git", "rev-parse", "HEAD").trim());
    forgetReleases(at());
    expectPass("--record");
    commitAll(at());
    expectPass();
    recorded = run(at(), "git", "rev-parse", "HEAD").trim();
  }, withinMs);

  afterEach(() => {
    run(at(), "git", "reset", "--quiet", "--hard", recorded);
    run(at(), "git", "clean", "--quiet", "-fd", "--", ".changeset");
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("sees each edit that customers notice, at its source", () => {
    const edits = readEdits();
    expect(edits.length).toBeGreaterThanOrEqual(45);
    // Without an export of the SDK, sources do not run that tell of commands and promises. These edits are made last.
    const [exports, others] = [true, false].map((isLast) =>
      edits.filter(({ file }) => file.endsWith("sdk/src/index.ts") === isLast),
    );
    const make = (some: readonly Edit[] = []) => some.map(({ file, from, to }) => replaceIn(at(file), from, to));
    make(others);
    rmSync(at("packages/contract/vectors/paging.json"));
    const python = join(ensureEnvironment("python", join(root, "packages/python/requirements.txt")), "python");
    writeFileSync(at("packages/python/surface.json"), run(at("packages/python"), python, "tests/surface.py"));
    const first = gate().said;
    make(exports);
    const { status, said } = gate();
    expect(
      edits.filter(({ says }) => !(first + said).includes(says)).map(({ what }) => what),
      first,
    ).toEqual([]);
    expect(first).toContain("packages/mock-server/command.json");
    expect(first).toContain(": out of date. Run `npm run record`");
    // The contract suite is at 0.x.
    expect(said).toContain("minor  vectors/paging.json: was removed");
    expect(status).toBe(1);
  });

  it("explains a change of the contract, passes with the changesets it writes, and moves every package", () => {
    const from = "properties:\n";
    replaceIn(at("openapi/schemas/roles.yaml"), from, `${from}    hue: { type: string, description: Its hue. }\n`);
    const { status, said } = gate();
    expect(status).toBe(1);
    expect(said).toContain("The generated files are out of date. Run `npm run record`.");
    expect(said).toMatch(/minor {2}\w+\.hue: an optional field was added \(received from listRoles \(200\)\)/);
    expect(said).toContain("run `npm run release -- check --write`");
    expect(node("scripts/generate.ts").status).toBe(0);
    expect(gate("--write").said).toContain("wrote .changeset/minor-sdk.md");
    run(at(), "npm", "run", "release", "--", "version");
    commitAll(at());
    expectPass();
    run(at(), process.execPath, "tests/packages/check-supply-chain.ts");
    const [before, after] = releasesIn(readFileSync(at(recordFile), "utf8")).map(({ versions }) => versions);
    const moved = Object.entries(before ?? {}).map(([name, version]) => [
      name,
      version.replace(/^(\d+)\.(\d+)\.\d+$/, (_, major, minor) => `${major}.${Number(minor) + 1}.0`),
    ]);
    expect(after).toEqual(Object.fromEntries(moved));
    expect(readFileSync(at("docs/compatibility.md"), "utf8")).toContain(`| ${after?.["@call-transfer/spec"]} |`);
    expect(readFileSync(at("packages/sdk/CHANGELOG.md"), "utf8")).toContain(".hue`: an optional field was added.");
  });

  it.each([
    ["the record is lost", () => rmSync(at(recordFile)), `${recordFile} is missing`],
    [
      "a changeset cannot be read",
      () => writeFileSync(at(".changeset/odd.md"), "Just words.\n"),
      ".changeset/odd.md: could not parse changeset",
    ],
  ])("prints an error without a stack if %s", (_, plant, words) => {
    plant();
    const { status, said } = gate();
    expect(status).toBe(1);
    expect(said).toContain(words);
    expect(said).not.toContain("    at ");
  });
});
