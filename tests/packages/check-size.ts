// Measures what the packed SDK costs its users in bundles. Measures too what a browser loads of the inspector,
// and the Worker of the mock server. Fails when a figure exceeds its budget, or the limit that it has reached instead
// (docs/decisions/0005), and when sizes.json holds other sizes. `--write` updates that file and every page that states a
// size. Requires built packages. `npm run lab -- bench sdk` measures loading times beside other SDKs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { install, optionalPeers, pack, temporaryFolder } from "../../scripts/packed.ts";
import { everything, largest, pagesWithSizes, smallest } from "./size-table.ts";

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly budget: number;
  /** The limit while the budget is not yet met. */
  readonly reached?: number;
  readonly unit: string;
  /** Its name in sizes.json, if pages state it. */
  readonly published?: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const record = join(root, "tests/packages/sizes.json");
const inspector = join(root, "packages/mock-server/dist/inspector");

/** Kilobytes of 1,000 bytes after gzip -9. */
const zipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length / 1000;

/** Bundles a program, minified for browsers. */
async function minified(project: string, text: string, conditions: string[] = []) {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: project },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", write: false, conditions },
    external: ["node:*", ...Object.keys(optionalPeers(["sdk"]))],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

const sizeOf = async (project: string, text: string): Promise<number> => zipped(await minified(project, text));

const sdk = '"@call-transfer/sdk"';
const whole = `export * from ${sdk};`;
const alone = (name: string): string => `export { CallTransferCore, ${name} } from ${sdk};`;

/** What a program has that imports the SDK and does not use it. */
const unused = `import { CallTransfer } from ${sdk};
import { verifyWebhook } from "@call-transfer/sdk/webhooks";
console.log("application");`;

const entry = (name: string): string => `export * from "@call-transfer/sdk/${name}";`;

interface BundleBudget {
  readonly name: string;
  readonly program: string;
  /** A program whose size is taken off: what is left is what the other one adds to it. */
  readonly beside?: string;
  readonly budget: number;
  readonly reached?: number;
  readonly published?: string;
}

/** The bundles that are measured. A new entry of the SDK is a line here. */
const bundles: readonly BundleBudget[] = [
  { name: "whole SDK", program: whole, budget: 19.2, reached: 22, published: everything },
  {
    ...{ name: "core and the smallest operation", program: alone("listRoles"), budget: 16.7, reached: 19.3 },
    published: smallest,
  },
  {
    ...{ name: "core and the largest operation", program: alone("createCall"), budget: 18.5, reached: 21.1 },
    published: largest,
  },
  {
    ...{ name: "webhooks, verification only", budget: 2, reached: 2.6, published: "`verifyWebhook` of `/webhooks`" },
    program: 'export { verifyWebhook } from "@call-transfer/sdk/webhooks";',
  },
  {
    ...{ name: "webhooks, every export", program: entry("webhooks"), budget: 2, reached: 11.8 },
    published: "everything of `/webhooks`",
  },
  { name: "webhooks/redis, every export", program: entry("webhooks/redis"), budget: 1, reached: 1.3 },
  { name: "webhooks/postgres, every export", program: entry("webhooks/postgres"), budget: 4.5, reached: 4.7 },
  {
    ...{ name: "query, every export, beside the whole SDK", program: `${whole}${entry("query")}`, beside: whole },
    ...{ budget: 1, published: "added by everything of `/query`" },
  },
  { name: "raw, every export", program: entry("raw"), budget: 3.5, reached: 5.1, published: "everything of `/raw`" },
  { name: "unused imports", program: unused, budget: 0.1 },
  {
    ...{ name: "otel, every export, without its peer", program: entry("otel"), budget: 2, reached: 2.1 },
    published: "everything of `/otel`, without `@opentelemetry/api`",
  },
];

const bundleFigures = (project: string): Promise<Figure[]> =>
  Promise.all(
    bundles.map(async ({ program, beside, ...figure }) => {
      const value = (await sizeOf(project, program)) - (beside === undefined ? 0 : await sizeOf(project, beside));
      return { ...figure, value, unit: "kB" };
    }),
  );

/** The files that a browser loads of the inspector, each compressed. */
function inspectorFigures(): Figure[] {
  const assets = readdirSync(join(inspector, "assets")).map((name) => join(inspector, "assets", name));
  const value = [join(inspector, "index.html"), ...assets].reduce((sum, path) => sum + zipped(readFileSync(path)), 0);
  return [{ name: "inspector", value, budget: 80, unit: "kB" }];
}

/** The Worker as it is deployed: minified, not compressed. */
async function workerFigure(): Promise<Figure> {
  const code = await minified(
    root,
    'export { default, Sandbox, SandboxDirectory } from "@call-transfer/mock-server/worker";',
    ["workerd", "worker"],
  );
  return { name: "hosted mock server", value: code.length / 1000, budget: 800, unit: "kB" };
}

const isHeld = ({ value, reached, budget }: Figure): boolean => value <= (reached ?? budget);

function print(figures: readonly Figure[]): void {
  for (const { name, value, budget, reached, unit } of figures) {
    const limit = reached === undefined ? `${budget} ${unit}` : `${budget} ${unit}, limit ${reached}`;
    console.log(`${name.padEnd(42)} ${`${value.toFixed(2)} ${unit}`.padStart(10)}  of ${limit}`);
  }
}

using folder = temporaryFolder("size");
const project = join(folder.path, "project");
install(project, pack(folder.path, ["sdk"]));
const figures = [...(await bundleFigures(project)), ...inspectorFigures(), await workerFigure()];
print(figures);
const grown = figures.filter((figure) => !isHeld(figure));
for (const { name, value, budget, reached, unit } of grown) {
  console.error(`${name}: ${value.toFixed(2)} ${unit} is above ${reached ?? budget} ${unit}`);
}
if (grown.length > 0) process.exitCode = 1;

const published = figures.flatMap(({ published: name, value }) =>
  name === undefined ? [] : [[name, value.toFixed(1)]],
);
const sizes: Readonly<Record<string, string>> = Object.fromEntries(published);
const measured = `${JSON.stringify(sizes, null, 2)}\n`;
if (process.argv.includes("--write")) {
  writeFileSync(record, measured);
  for (const [path, write] of Object.entries(pagesWithSizes)) {
    writeFileSync(join(root, path), write(readFileSync(join(root, path), "utf8"), sizes));
  }
} else if (readFileSync(record, "utf8") !== measured) {
  console.error("tests/packages/sizes.json holds other sizes. Run `npm run record -- sizes`.");
  process.exitCode = 1;
}
