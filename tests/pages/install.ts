// `npm install` in the short form of check-pages.ts. npm runs where no other folder had the same packages and installed the
// same; elsewhere its result is copied. npm_config_userconfig, if it is set, and the session's Node may change what npm does.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeOnce } from "../../scripts/turn.ts";

/** The fields of a package.json that npm reads and writes when it installs. */
const fields = ["dependencies", "devDependencies", "overrides"] as const;
type Manifest = Partial<Record<(typeof fields)[number], unknown>>;

const [modules, lockfile] = ["node_modules", "package-lock.json"];
const { INSTALLED = "", npm_config_userconfig: settings, PATH } = process.env;
const options = process.argv.slice(2);

const readManifest = (): Manifest =>
  existsSync("package.json") ? (JSON.parse(readFileSync("package.json", "utf8")) as Manifest) : {};
const packagesOf = (manifest: Manifest): Manifest => Object.fromEntries(fields.map((name) => [name, manifest[name]]));

const asked = JSON.stringify([options, packagesOf(readManifest()), settings, PATH?.split(":")[1]]);
const kept = join(INSTALLED, createHash("sha256").update(asked).digest("hex"));
/** Copies a folder by links to its files, except for npm's own record, which npm writes again in its place. */
function linkAll(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, place] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkAll(source, place);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), place);
    else if (entry.name === ".package-lock.json") copyFileSync(source, place);
    else linkSync(source, place);
  }
}
function copy(from: string, to: string): void {
  if (existsSync(join(from, modules))) linkAll(join(from, modules), join(to, modules));
  if (existsSync(join(from, lockfile))) copyFileSync(join(from, lockfile), join(to, lockfile));
}

let isDone = false;
makeOnce(
  `${kept}.turn`,
  () => existsSync(kept),
  () => {
    // The folder of this program comes first on the path.
    const env = { ...process.env, PATH: PATH?.replace(/^[^:]*:/, "") };
    const { status, stdout } = spawnSync("npm", options, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.stdout.write(stdout);
    process.exitCode = status ?? 1;
    isDone = true;
    if (status !== 0) return;
    mkdirSync(`${kept}.new`);
    copy(".", `${kept}.new`);
    writeFileSync(join(`${kept}.new`, "packages.json"), JSON.stringify({ stdout, ...packagesOf(readManifest()) }));
    renameSync(`${kept}.new`, kept);
  },
  // What a page prints is compared.
  { say: () => {} },
);
if (!isDone) {
  const { stdout, ...packages } = JSON.parse(readFileSync(join(kept, "packages.json"), "utf8")) as { stdout: string };
  rmSync(modules, { recursive: true, force: true });
  copy(kept, ".");
  writeFileSync("package.json", `${JSON.stringify({ ...readManifest(), ...packages }, null, 2)}\n`);
  process.stdout.write(stdout);
}
