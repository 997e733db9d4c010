// Rehearses a release in two temporary clones of the last commit: versions, changelogs, record, build, tarballs. The
// tarballs of both clones must be byte-identical. Then installs them and calls every operation. The working tree stays
// untouched.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install, type Ready, withPackedServer } from "../packed.ts";
import { changesetsIn } from "./changesets.ts";
import { cloneWorkspace, commitAll } from "./clone.ts";
import { packInto, run, writeReleaseFiles } from "./release-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = "every-operation.mjs";
const drivenWithinMs = 300_000;

/** Runs a function under another umask; child processes inherit it. */
function withUmask<T>(mask: number, use: () => T): T {
  const usual = process.umask(mask);
  try {
    return use();
  } finally {
    process.umask(usual);
  }
}

/** Moves the versions in a clone of one commit and builds it. */
function prepare(clone: string, commit: string): void {
  cloneWorkspace(root, clone, commit);
  if (changesetsIn(join(clone, ".changeset")).length > 0) run(clone, "changeset", "version");
  run(clone, "npm", "run", "build");
}

/** Commits what `npm run release:version` writes and checks that the gate and the supply-chain check pass. */
function checkRecord(clone: string, hadChangesets: boolean): void {
  const gate = join("scripts", "release", "gate.ts");
  if (hadChangesets) {
    run(clone, process.execPath, gate, "--record");
    commitAll(clone);
  }
  console.log(run(clone, process.execPath, gate).trim());
  console.log(run(clone, process.execPath, join("tests", "packages", "check-supply-chain.ts")).trim());
}

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

async function drive(project: string, { url, apiKey }: Ready): Promise<void> {
  copyFileSync(join(root, "examples", program), join(project, program));
  const customer = spawn(process.execPath, [program], {
    cwd: project,
    env: { ...process.env, CALL_TRANSFER_BASE_URL: url, CALL_TRANSFER_API_KEY: apiKey },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: drivenWithinMs,
  });
  const [status, signal] = (await once(customer, "exit")) as [number | null, string | null];
  if (status !== 0) throw new Error(`${program} ended with ${signal ?? `status ${status}`}`);
}

async function dryRun(folder: string): Promise<void> {
  const commit = run(root, "git", "rev-parse", "HEAD").trim();
  // Tarballs must not depend on path or permissions, so the second clone has another path and a stricter umask.
  const [one, two] = [join(folder, "one"), join(folder, "somewhere else", "two")];
  prepare(one, commit);
  checkRecord(one, changesetsIn(join(root, ".changeset")).length > 0);
  const files = writeReleaseFiles(one, join(folder, "packed"));
  const again = withUmask(0o077, () => {
    prepare(two, commit);
    return packInto(two, join(folder, "packed-again"));
  });
  for (const [index, { name, version, tarball }] of files.entries()) {
    const [first, second] = [
      digest(join(folder, "packed", tarball)),
      digest(join(folder, "packed-again", again[index]?.tarball ?? "")),
    ];
    if (first !== second)
      throw new Error(`${tarball} differs between two clones of the same commit. Make the build reproducible.`);
    console.log(`${name} ${version}  sha256 ${first.slice(0, 16)}…, identical in both clones`);
    console.log(
      readFileSync(join(folder, "packed", `${tarball}.md`), "utf8")
        .trim()
        .replace(/^/gm, "    "),
    );
  }
  const written = readFileSync(join(folder, "packed", "sbom.cdx.json"), "utf8");
  if (written.includes(folder))
    throw new Error("The bill of materials contains a path of this machine. Remove it in release-files.ts.");
  const bill = JSON.parse(written) as { components: unknown[] };
  console.log(`The bill of materials lists ${bill.components.length} packages.\n`);
  const project = join(folder, "packed", "customer");
  install(project, Object.fromEntries(files.map(({ name, tarball }) => [name, tarball])));
  await withPackedServer(project, [], (ready) => drive(project, ready));
}

if (run(root, "git", "status", "--porcelain")) {
  console.log("The working tree has uncommitted changes. The dry run uses the last commit, without them.");
}
const folder = mkdtempSync(join(tmpdir(), "call-transfer-release-"));
try {
  await dryRun(folder);
  console.log("\nThe dry run passed.");
} catch (error) {
  console.error(`\nThe dry run failed. ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
