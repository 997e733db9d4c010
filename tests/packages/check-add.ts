// Installs from a clone with scripts/add.ts as the README says, with each package manager: in a new folder, again unchanged, and
// again after the sources have changed. Nothing but caches of the package managers may appear elsewhere. `check-add.ts npm` takes
// one. Requires built packages.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runWith, temporaryFolder, tools } from "../../scripts/packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Row {
  /** The program of tests/tools, and the name by which a folder starts it. */
  readonly program?: readonly [name: string, path: string];
  readonly lockfile: string;
  /** What runs a program of the folder. */
  readonly node?: readonly [string, ...string[]];
  readonly settings?: Readonly<Record<string, string>>;
}

/** New versions of others need not wait here, and nothing is reported. */
const yarnSettings = "enableTelemetry: false\nnpmMinimalAgeGate: 0\n";

const rows: Readonly<Record<string, Row>> = {
  npm: { lockfile: "package-lock.json" },
  pnpm: { program: ["pnpm", "pnpm/bin/pnpm.cjs"], lockfile: "pnpm-lock.yaml" },
  "yarn-1": { program: ["yarn", "yarn-1/bin/yarn.js"], lockfile: "yarn.lock" },
  // Without a folder of modules a package finds only what its manifest names.
  "yarn-4-pnp": {
    program: ["yarn", "yarn-4/bin/yarn.js"],
    lockfile: "yarn.lock",
    node: ["yarn", "node"],
    settings: { ".yarnrc.yml": yarnSettings },
  },
  bun: { program: ["bun", "bun/bin/bun.exe"], lockfile: "bun.lock" },
};

const notCopied = new Set(["node_modules", ".git", ".cache", "reports"]);

/** Copies this workspace, so that its sources can change. Pages link to most of it. */
function copyOfWorkspace(folder: string): string {
  cpSync(root, folder, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  return folder;
}

/** Makes modules of both packages set a mark: one that the folder names, and one that only the mock server needs. */
function changeSources(workspace: string, mark: string): void {
  for (const path of ["sdk/dist/index.js", "backend/dist/index.js"]) {
    const file = join(workspace, "packages", path);
    writeFileSync(
      file,
      `${readFileSync(file, "utf8")}\nglobalThis.changed = \`\${globalThis.changed ?? ""}${mark} \`;\n`,
    );
  }
}

/** A program that a package manager's name starts, for the path. */
function commandFolder(folder: string, [name, path]: readonly [string, string]): string {
  const isScript = /\.c?js$/.test(path);
  const words = [...(isScript ? [process.execPath] : []), join(tools, "node_modules", path)];
  mkdirSync(folder);
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}

const program = `${readFileSync(join(root, "examples/place-a-call.ts"), "utf8")}
console.log("changed:", globalThis.changed);
`;
const placed = (changed: string): string => `placed: initiated\na minute later: call.completed\nchanged: ${changed}`;

function same(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}.`);
}

function checkRow(place: string, name: string, row: Row, workspace: string): void {
  const [home, app] = [join(place, "home"), join(place, "app")];
  for (const folder of [place, home, app]) mkdirSync(folder);
  for (const [file, text] of Object.entries(row.settings ?? {})) writeFileSync(join(app, file), text);
  const own = row.program === undefined ? [] : [commandFolder(join(place, "bin"), row.program)];
  const env = {
    ...process.env,
    HOME: home,
    XDG_CACHE_HOME: undefined,
    PATH: [...own, dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  const add = (...options: string[]): string =>
    runWith(env, workspace, process.execPath, "scripts/add.ts", app, ...options);
  const [command, ...first] = row.node ?? ["node"];
  const runApp = (): string => runWith(env, app, command, ...first, "place-a-call.mjs").trim();
  const vendored = (): string[] => readdirSync(join(app, ".call-transfer")).sort();

  add(...(row.program === undefined ? ["sdk", "mock-server", "python"] : ["--with", row.program[0]]));
  writeFileSync(join(app, "place-a-call.mjs"), program);
  same("a first run", runApp(), placed("undefined"));
  const [tarballs, lockfile] = [vendored(), readFileSync(join(app, row.lockfile), "utf8")];

  add();
  same("tarballs after an unchanged run", vendored(), tarballs);
  same("the lockfile after an unchanged run", readFileSync(join(app, row.lockfile), "utf8"), lockfile);

  changeSources(workspace, name);
  add();
  same("a run after a change", runApp(), placed(`${name} ${name} `).trim());
  same("number of tarballs", vendored().length, tarballs.length);

  const addresses = readFileSync(join(app, row.lockfile), "utf8").match(
    /.*(?:127\.0\.0\.1|localhost|call-transfer\S*http).*/g,
  );
  same("addresses in the lockfile", addresses, null);
  const settings = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile());
  same(
    "settings in the home folder",
    settings.map((entry) => entry.name),
    [],
  );
  if (existsSync(join(app, ".venv"))) {
    const example = join(root, "examples/python/place_a_call.py");
    const printed = runWith(env, app, join(app, ".venv/bin/python"), example).trim();
    same("the program in Python", printed, "2026-03-02T12:01:00.000Z call.completed");
  }
}

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !(name in rows));
if (unknown !== undefined) throw new Error(`Unknown row ${unknown}. There are ${Object.keys(rows).join(", ")}.`);
using folder = temporaryFolder("add");
for (const [name, row] of Object.entries(rows)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const from = performance.now();
  try {
    checkRow(join(folder.path, name), name, row, copyOfWorkspace(join(folder.path, `workspace-${name}`)));
    console.log(`ok      ${name} (${((performance.now() - from) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`failed  ${name}\n${(error as Error).message}`);
    process.exitCode = 1;
  }
}
