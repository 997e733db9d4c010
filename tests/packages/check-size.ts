// Measures what the SDK costs its users: bundle sizes, loading time, compiler memory and disk space of the packed SDK. Measures
// too what a browser loads of the inspector, and the Worker of the mock server. Fails when a figure exceeds its budget, or the
// limit that it has reached instead (docs/decisions/0005), and when sizes.json holds other sizes. `--write` updates that
// file and every page that states a size.
// Requires built packages and those in consumers/.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Metafile, build as runEsbuild } from "esbuild";
import { ensureTools, install, optionalPeers, pack, run, temporaryFolder } from "../../scripts/packed.ts";
import { bundlers } from "./bundlers.ts";
import { everything, largest, pagesWithSizes, smallest } from "./size-table.ts";

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly budget: number;
  /** The limit while the budget is not yet met. */
  readonly reached?: number;
  readonly unit: string;
  /** The two values of a ratio. */
  readonly of?: string;
  /** Its name in sizes.json, if pages state it. */
  readonly published?: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const consumers = fileURLToPath(new URL("./consumers/", import.meta.url));
const record = join(root, "tests/packages/sizes.json");
const inspector = join(root, "packages/mock-server/dist/inspector");
const importRounds = 10;
/** Repetitions of the rounds while the figure is too high. */
const importRepetitions = 20;
/** The same while the first is too high. */
const memoryRounds = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Kilobytes of 1,000 bytes after gzip -9. */
const zipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length / 1000;

/** Bundles a program, minified for browsers. */
async function minified(project: string, text: string, conditions: string[] = []) {
  const { outputFiles, metafile } = await runEsbuild({
    stdin: { contents: text, resolveDir: project },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", write: false, metafile: true, conditions },
    external: ["node:*", ...Object.keys(optionalPeers(["sdk"]))],
  });
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), metafile };
}

const sizeOf = async (project: string, text: string): Promise<number> => zipped((await minified(project, text)).code);

const sdk = '"@call-transfer/sdk"';
const whole = `export * from ${sdk};`;
const alone = (name: string): string => `export { CallTransferCore, ${name} } from ${sdk};`;

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

/** What an unused import adds to a bundle. */
async function unusedFigures(project: string): Promise<Figure[]> {
  const write = (name: string, text: string): string => {
    writeFileSync(join(project, name), text);
    return join(project, name);
  };
  const without = write("without.mjs", 'console.log("application");\n');
  const unused = `import { CallTransfer } from ${sdk};\nimport { verifyWebhook } from "@call-transfer/sdk/webhooks";\n`;
  const using = write("unused.mjs", `${unused}console.log("application");\n`);
  const figures: Figure[] = [];
  for (const [name, bundle] of Object.entries(bundlers)) {
    const value = zipped(await bundle(using)) - zipped(await bundle(without));
    figures.push({ name: `unused import, ${name}`, value, budget: 0.1, unit: "kB" });
  }
  return figures;
}

/** Time of `import()` in a new process, relative to retell-sdk. */
function importFigure(project: string): Figure {
  const millisecondsOf = (folder: string, name: string): number => {
    // Processor time excludes the time of other processes.
    const script = `const start = performance.now(), used = process.cpuUsage(); await import("${name}");
      const passed = performance.now() - start, { user, system } = process.cpuUsage(used);
      console.log(Math.min(passed, (user + system) / 1000));`;
    return Number(run(folder, process.execPath, "--input-type=module", "-e", script));
  };
  // The fastest of each, because other load only adds time. They take turns, so that no load reaches one of them alone.
  let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const figure = (): Figure => {
    const of = `${ours.toFixed(1)} of ${theirs.toFixed(1)} ms`;
    return { name: "import(), relative to retell-sdk", value: ours / theirs, budget: 0.3, unit: "×", of };
  };
  for (let repetition = 0; repetition < importRepetitions; repetition += 1) {
    for (let round = 0; round < importRounds; round += 1) {
      ours = Math.min(ours, millisecondsOf(project, "@call-transfer/sdk"));
      theirs = Math.min(theirs, millisecondsOf(consumers, "retell-sdk"));
    }
    if (isHeld(figure())) break;
  }
  return figure();
}

/**
 * Compiler memory for a one-line program, relative to an empty one. Uses skipLibCheck, as most projects do: checking the
 * platform's declarations would take more than everything else.
 */
function memoryFigure(project: string): Figure {
  const use = 'new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "key" }).calls.list()';
  writeFileSync(join(project, "one-line.ts"), `import { CallTransfer } from ${sdk};\nexport const calls = ${use};\n`);
  writeFileSync(join(project, "empty.ts"), "export {};\n");
  const compilerOptions = {
    ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: [] },
    ...{ target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"] },
  };
  const megabytesOf = (file: string): number => {
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const report = run(project, join(root, "node_modules/.bin/tsc"), "--extendedDiagnostics");
    return Number(/Memory used:\s+(\d+)K/.exec(report)?.[1]) / 1000;
  };
  const figure = (rounds: number): Figure => {
    const measure = (file: string): number => median(Array.from({ length: rounds }, () => megabytesOf(file)));
    const [ours, empty] = [measure("one-line.ts"), measure("empty.ts")];
    const of = `${ours.toFixed(0)} of ${empty.toFixed(0)} MB`;
    return { name: "tsc memory, relative to an empty program", value: ours / empty, budget: 1.15, unit: "×", of };
  };
  const first = figure(1);
  return isHeld(first) ? first : figure(memoryRounds);
}

function diskFigure(project: string): Figure {
  const folder = join(project, "node_modules/@call-transfer/sdk");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => statSync(join(folder, path)));
  const value = paths.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0) / 1000;
  return { name: "unpacked", value, budget: 600, reached: 1790, unit: "kB" };
}

/** The files that a browser loads of the inspector, each compressed. */
function inspectorFigures(): Figure[] {
  const assets = readdirSync(join(inspector, "assets")).map((name) => join(inspector, "assets", name));
  const value = [join(inspector, "index.html"), ...assets].reduce((sum, path) => sum + zipped(readFileSync(path)), 0);
  return [{ name: "inspector", value, budget: 80, unit: "kB" }];
}

/** The Worker as it is deployed: minified, not compressed. */
async function workerFigure(): Promise<Figure> {
  const { code } = await minified(
    root,
    'export { default, Sandbox, SandboxDirectory } from "@call-transfer/mock-server/worker";',
    ["workerd", "worker"],
  );
  return { name: "hosted mock server", value: code.length / 1000, budget: 800, unit: "kB" };
}

/** Bytes of each module in a bundle, largest first. */
function breakdown(project: string, { outputs }: Metafile): string {
  const modules = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const rows = modules
    .map(([path, { bytesInOutput }]) => ({ bytes: bytesInOutput, path: relative(project, join(process.cwd(), path)) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  return rows
    .map(({ bytes, path }) => `${String(bytes).padStart(7)}  ${path.replace(/^.*node_modules\//, "")}`)
    .join("\n");
}

const isMet = ({ value, budget }: Figure): boolean => value <= budget;
const isHeld = (figure: Figure): boolean => figure.value <= (figure.reached ?? figure.budget);

function verdict(figure: Figure): string {
  if (isMet(figure)) return "met";
  return isHeld(figure) ? `MISSED, limit ${figure.reached}` : "MISSED";
}

function print(figures: readonly Figure[]): void {
  for (const figure of figures) {
    const { name, value, budget, unit, of } = figure;
    const measured = `${value.toFixed(2)} ${unit}`.padStart(10);
    console.log(
      `${name.padEnd(42)} ${measured}  of ${`${budget} ${unit}`.padEnd(8)} ${verdict(figure)}${of ? ` (${of})` : ""}`,
    );
  }
}

ensureTools(consumers);
using folder = temporaryFolder("size");
const project = join(folder.path, "project");
install(project, pack(folder.path, ["sdk"]));
const figures = [
  ...(await bundleFigures(project)),
  ...(await unusedFigures(project)),
  importFigure(project),
  memoryFigure(project),
  diskFigure(project),
  ...inspectorFigures(),
  await workerFigure(),
];
print(figures);
if (!figures.every(isMet)) {
  const { metafile } = await minified(project, whole, ["@call-transfer/source"]);
  console.log(`\nThe whole SDK by module, minified bytes before gzip:\n${breakdown(project, metafile)}`);
}
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
