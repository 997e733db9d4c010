import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../scripts/packed.ts";
import { ensureEnvironment } from "../../scripts/python.ts";
import { recordFile } from "../../scripts/release/baseline.ts";
import { cloneWorkspace, commitAll } from "../../scripts/release/clone.ts";
import { packagesIn } from "../../scripts/release/compare/surface.ts";
import { pythonEdits, type ReleasedEdit, releasedEdits } from "./released-edits.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const withinMs = 900_000;

// Runs in a clone of the last commit that records 1.0.0 of each package, so that only the changes of a test count.
describe("the release gate", { timeout: withinMs }, () => {
  let folder = "";
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
    for (const name of readdirSync(at(".changeset")))
      if (/^(?!README).*\.md$/.test(name)) rmSync(at(".changeset", name));
    const packages = packagesIn(at("packages")).filter(({ isReleased }) => isReleased);
    const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
    writeFileSync(at(recordFile), JSON.stringify({ versions }));
    for (const { folder, version } of packages) {
      const path = join(folder, "package.json");
      writeFileSync(path, readFileSync(path, "utf8").replace(`"version": "${version}"`, '"version": "1.0.0"'));
    }
    expectPass("--record");
    commitAll(at());
  }, withinMs);

  afterEach(() => {
    run(at(), "git", "reset", "--quiet", "--hard");
    run(at(), "git", "clean", "--quiet", "-fd", "--", ".changeset");
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("passes without changes", () => {
    expectPass();
  });

  it("explains an optional response field, and passes with the changeset it writes", () => {
    const path = at("openapi/schemas/roles.yaml");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(
        "properties:\n",
        "properties:\n    hue: { type: string, description: Its hue. }\n",
      ),
    );
    const { status, said } = gate();
    expect(status).toBe(1);
    expect(said).toContain("The generated files are out of date. Run `npm run record`.");
    expect(said).toMatch(/minor {2}\w+\.hue: an optional field was added \(received from listRoles \(200\)\)/);
    expect(said).toContain("run `npm run release -- check --write`");
    expect(node("scripts/generate.ts").status).toBe(0);
    expect(gate("--write").said).toContain("wrote .changeset/minor-sdk.md");
    expectPass();
  });

  it("requires a major if the cases of the last release no longer compile", () => {
    const path = at("packages/sdk/src/index.ts");
    const text = readFileSync(path, "utf8");
    const without = text.replace(/, isApiError(?=[ ,])/, "");
    expect(without).not.toBe(text);
    writeFileSync(path, without);
    expect(gate().said).toMatch(/major {2}contract cases of the last release: no longer compile: .*isApiError/);
  });

  const make = ({ file, from, to }: ReleasedEdit): void => {
    const text = readFileSync(at(file), "utf8");
    expect(text).toContain(from);
    writeFileSync(at(file), text.replace(from, to));
  };

  it.each(releasedEdits)("sees $what", (edit) => {
    make(edit);
    const { status, said } = gate();
    expect(said).toContain(edit.says);
    expect(status).toBe(1);
  });

  it("sees vectors that are gone", () => {
    rmSync(at("packages/contract/vectors/hints.json"));
    const { status, said } = gate();
    expect(said).toContain("major  vectors/hints.json: was removed");
    expect(status).toBe(1);
  });

  it.each(pythonEdits)("sees $what", (edit) => {
    make(edit);
    const python = join(ensureEnvironment("python", join(root, "packages/python/requirements.txt")), "python");
    writeFileSync(at("packages/python/surface.json"), run(at("packages/python"), python, "tests/surface.py"));
    const { status, said } = gate();
    expect(said).toContain(edit.says);
    expect(status).toBe(1);
  });

  it("asks for a changeset more when something breaks after a pending major", () => {
    const rename = (from: string, to: string): void => {
      const path = at("packages/sdk/src/options/settings.ts");
      writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
    };
    const before = run(at(), "git", "rev-parse", "HEAD").trim();
    rename('"CALL_TRANSFER_LOG"', '"CALL_TRANSFER_LOG_LEVEL"');
    gate("--write");
    commitAll(at());
    expectPass();
    rename('"CALL_TRANSFER_API_KEY"', '"CALL_TRANSFER_KEY"');
    const { status, said } = gate("--write");
    expect([status, said]).toEqual([0, expect.stringContaining("wrote .changeset/major-sdk-2.md")]);
    rmSync(at(".changeset/major-sdk-2.md"));
    const { said: refused } = gate();
    expect(refused).toContain("@call-transfer/sdk changed after its pending changesets were committed");
    expect(refused).toContain("major  variable CALL_TRANSFER_API_KEY: was removed");
    expect(refused).not.toContain("CALL_TRANSFER_LOG:");
    run(at(), "git", "reset", "--quiet", "--hard", before);
  });

  it("reports an outdated api.d.ts, and passes with the one it writes", () => {
    appendFileSync(at("packages/mock-server/src/index.ts"), "export const extra = 1;\n");
    expect(gate().said).toContain("packages/mock-server/api.d.ts: out of date. Run `npm run record`");
    expect(gate("--write").said).toContain("wrote packages/mock-server/api.d.ts");
    expectPass();
  });

  it.each([
    ["the record is lost", () => rmSync(at(recordFile)), `${recordFile} is missing`],
    ["the record is not committed", () => appendFileSync(at(recordFile), "\n"), "differs from the last commit"],
    [
      "prereleases have a tag without a form in Python",
      () => writeFileSync(at(".changeset/pre.json"), '{ "mode": "pre", "tag": "canary" }'),
      "Prereleases are tagged canary, which has no form in Python.",
    ],
    [
      "a changeset cannot be read",
      () => writeFileSync(at(".changeset/odd.md"), "Just words.\n"),
      ".changeset/odd.md does not begin with a header",
    ],
  ])("prints an error without a stack if %s", (_, plant, words) => {
    plant();
    const { status, said } = gate();
    expect(status).toBe(1);
    expect(said).toContain(words);
    expect(said).not.toContain("    at ");
  });
});
