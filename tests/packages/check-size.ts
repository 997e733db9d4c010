// What the SDK costs whoever uses it, against its budgets: packs it as it is built, installs it as a customer would, and
// measures bundles, loading, type checking and disk in one run. Fails when a figure is above its budget, or, where
// docs/decisions/0010 holds it at the best that was reached, above that. Expects the SDK to be built and the bundlers in
// consumers/ to be installed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Metafile, build as runEsbuild } from "esbuild";
import { install, pack } from "../../scripts/packed.ts";
import { bundlers } from "./bundlers.ts";

/** One figure and what it may be. */
interface Figure {
  readonly name: string;
  readonly value: number;
  readonly budget: number;
  /** The best that was reached, where the budget is not: the figure must not grow beyond it. */
  readonly reached?: number;
  readonly unit: string;
  /** What the figure is the ratio of. */
  readonly of?: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const commandWithinMs = 600_000;
const importRounds = 40;
/** How often the rounds are repeated while the figure is above what it may be. */
const importRepetitions = 5;
const memoryRounds = 3;

const run = (command: string, parameters: readonly string[], cwd: string): string =>
  execFileSync(command, parameters, { cwd, encoding: "utf8", timeout: commandWithinMs, maxBuffer: 2 ** 26 });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Kilobytes of 1,000 bytes after gzip -9. */
const zipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length / 1000;

/** A file's text, minified for browsers by esbuild. */
async function minified(project: string, text: string, conditions: string[] = []) {
  const { outputFiles, metafile } = await runEsbuild({
    stdin: { contents: text, resolveDir: project },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", write: false, metafile: true, conditions },
  });
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), metafile };
}

const sizeOf = async (project: string, text: string): Promise<number> => zipped((await minified(project, text)).code);

const sdk = '"@call-transfer/sdk"';
const whole = `export * from ${sdk};`;
const alone = (name: string): string => `export { CallTransferCore, ${name} } from ${sdk};`;

async function bundleFigures(project: string): Promise<Figure[]> {
  const kilobytes = async (name: string, text: string, budget: number, reached?: number): Promise<Figure> => {
    const value = await sizeOf(project, text);
    return { name, value, budget, unit: "kB", ...(reached !== undefined && { reached }) };
  };
  return [
    await kilobytes("whole SDK", whole, 9.5, 15.2),
    await kilobytes("core and the operation with least to it", alone("listRoles"), 7.5, 11),
    await kilobytes("core and the operation with most to it", alone("createCall"), 7.5, 12.3),
    await kilobytes("webhooks, verifying alone", 'export { verifyWebhook } from "@call-transfer/sdk/webhooks";', 2),
    await kilobytes("webhooks, every export", 'export * from "@call-transfer/sdk/webhooks";', 2, 3.6),
  ];
}

/** What an import that nothing uses adds to a bundle. */
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

/** Milliseconds that `import()` takes in a process of its own, beside what openapi-fetch takes at the same time. */
function importFigure(project: string): Figure {
  const millisecondsOf = (name: string): number => {
    // Time in which other processes had the machine is not the import's.
    const script = `const start = performance.now(), used = process.cpuUsage(); await import("${name}");
      const passed = performance.now() - start, { user, system } = process.cpuUsage(used);
      console.log(Math.min(passed, (user + system) / 1000));`;
    return Number(run(process.execPath, ["--input-type=module", "-e", script], project));
  };
  // The quickest of each, since whatever else the machine does only adds to them.
  let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const figure = (): Figure => {
    const of = `${ours.toFixed(1)} of ${theirs.toFixed(1)} ms`;
    return {
      name: "import(), relative to openapi-fetch",
      value: ours / theirs,
      budget: 2,
      reached: 3.2,
      unit: "×",
      of,
    };
  };
  for (let repetition = 0; repetition < importRepetitions && !isHeld(figure()); repetition += 1) {
    for (let round = 0; round < importRounds; round += 1) {
      ours = Math.min(ours, millisecondsOf("@call-transfer/sdk"));
      theirs = Math.min(theirs, millisecondsOf("openapi-fetch"));
    }
  }
  return figure();
}

/**
 * Memory of the compiler for a one-line use, beside what it takes for an empty program. Declarations are not checked
 * themselves, as in most projects: checking the platform's own takes more than all the rest.
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
    const report = run(join(root, "node_modules/.bin/tsc"), ["--extendedDiagnostics"], project);
    return Number(/Memory used:\s+(\d+)K/.exec(report)?.[1]) / 1000;
  };
  const measure = (file: string): number => median(Array.from({ length: memoryRounds }, () => megabytesOf(file)));
  const [ours, empty] = [measure("one-line.ts"), measure("empty.ts")];
  const of = `${ours.toFixed(0)} of ${empty.toFixed(0)} MB`;
  return { name: "tsc memory, relative to an empty program", value: ours / empty, budget: 1.15, unit: "×", of };
}

function diskFigure(project: string): Figure {
  const folder = join(project, "node_modules/@call-transfer/sdk");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => statSync(join(folder, path)));
  const value = paths.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0) / 1000;
  return { name: "unpacked", value, budget: 600, reached: 680, unit: "kB" };
}

/** Bytes of each module in the whole bundle, largest first. */
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
  return isHeld(figure) ? `MISSED, held at ${figure.reached}` : "MISSED";
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

const folder = mkdtempSync(join(tmpdir(), "call-transfer-size-"));
try {
  const project = join(folder, "project");
  install(project, pack(folder, ["sdk"]));
  const figures = [
    ...(await bundleFigures(project)),
    ...(await unusedFigures(project)),
    importFigure(project),
    memoryFigure(project),
    diskFigure(project),
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
} finally {
  rmSync(folder, { recursive: true });
}
