import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tablesIn } from "../../scripts/markdown.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/architecture.md`, "utf8");

interface CoverageReport {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The functions that tour.ts called, each as the path of its file and its name. */
function calledFunctions(): ReadonlySet<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "call-transfer-tour-"));
  const env = { ...process.env, NODE_V8_COVERAGE: folder.path };
  execFileSync(process.execPath, ["--conditions=@call-transfer/source", "tests/architecture/tour.ts"], {
    cwd: root,
    env,
    // Its client warns of what the tour shows.
    stdio: "pipe",
  });
  const reports = readdirSync(folder.path).map(
    (name): CoverageReport => JSON.parse(readFileSync(join(folder.path, name), "utf8")),
  );
  const files = reports.flatMap(({ result }) => result).filter(({ url }) => url.includes("/packages/"));
  return new Set(
    files.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0)
        .map(({ functionName }) => `packages/${url.split("/packages/").at(-1)} ${functionName}`),
    ),
  );
}

describe("the ways through the code in docs/architecture.md", () => {
  const rows = tablesIn(page).flatMap(({ rows }) => rows.filter((row) => "Function" in row));

  it("name functions that a call, a lost answer and a transfer go through", () => {
    const called = calledFunctions();
    const named = rows.flatMap(({ Function: names = "", File: file = "" }) => {
      const [, path] = /^\[`.+`\]\(\.\.\/(.+)\)$/.exec(file) ?? [];
      return [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${path} ${name}`);
    });
    expect(named.length).toBeGreaterThan(rows.length);
    expect(named.filter((one) => !called.has(one))).toEqual([]);
  });
});

it("docs/architecture.md lists the layers that are checked", async () => {
  // The computed name avoids a type error, since the configuration has no types.
  const { layers } = await import(new URL("../../.dependency-cruiser.mjs", import.meta.url).href);
  const rows = tablesIn(page).flatMap(({ rows }) => rows.filter((row) => "Package" in row));
  const shown = rows.map(({ Package = "", "Layers, the lowest first": list = "" }) => [
    Package.replaceAll("`", ""),
    list.split(", "),
  ]);
  expect(shown).toEqual(Object.entries(layers));
});
