// Builds every package, two at a time. Skips the build when neither the sources nor the output changed since the last one, so
// that each command can ask for a build without paying for it twice; `--force` builds anyway. `--no-dts` leaves out the types,
// which take most of the time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInspector } from "./build-inspector.ts";
import { digestOf, isRecorded, record } from "./made.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const name = "build";
const shared = [
  ...["package-lock.json", "tsconfig.base.json", "packages/spec/openapi.json"],
  ...[
    "build/options.ts",
    "build/licences.ts",
    "packages/inspector/styles-as-text.ts",
    "packages/inspector/vite.config.ts",
  ],
];
// The longest builds first, so that none is left alone at the end.
const packages = ["backend", "sdk", "spec", "contract", "mcp", "mock-server"];
const all = [...packages, "inspector"];
const withoutTypes = process.argv.slice(2).filter((option) => option === "--no-dts");

const inputs = () =>
  digestOf([
    ...shared,
    ...all.flatMap((name) => ["src", "package.json", "tsup.config.ts"].map((part) => `packages/${name}/${part}`)),
  ]);
const outputs = () => digestOf(all.map((name) => `packages/${name}/dist`));

/** Builds one package and prints what the build said once it ended; false when it failed. */
async function build(name: string): Promise<boolean> {
  // Its package contains the built files of the inspector.
  if (name === "mock-server") {
    if (!(await build("inspector"))) return false;
    await buildInspector();
  }
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  const child = spawn(process.execPath, [tsup, "--silent", ...withoutTypes], { cwd: join(root, "packages", name) });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => said.push(text));
  const [status] = await once(child, "close");
  console.log(`${said.join("")}${status === 0 ? "built" : "FAILED"} @call-transfer/${name}`);
  return status === 0;
}

async function buildAll(): Promise<boolean> {
  const left = [...packages];
  const lane = async (): Promise<boolean> => {
    let isFine = true;
    for (let name = left.shift(); name !== undefined; name = left.shift()) isFine = (await build(name)) && isFine;
    return isFine;
  };
  const lanes = await Promise.all([lane(), lane()]);
  return lanes.every(Boolean);
}

const before = inputs();
if (withoutTypes.length > 0) {
  if (!(await buildAll())) process.exit(1);
} else if (isRecorded(name, { inputs: before, outputs: outputs() }) && !process.argv.includes("--force")) {
  console.log("The build is current.");
} else {
  if (!(await buildAll())) process.exit(1);
  record(name, { inputs: before, outputs: outputs() });
}
