// Measures what each client costs before its first call: bundle, loading, installation, compiler memory. Each package is
// installed in a project of its own, as a customer installs it; the SDK from its tarball.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import ts from "typescript";
import { pack, run, temporaryFolder } from "../../../scripts/packed.ts";
import { versionOf } from "./clients.mjs";

const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const id = "e0000000-0000-4000-8000-000000000001";

/** What stands in the measured programs: everything, one operation where a package allows that, and a line that uses it. */
const programs = {
  "@call-transfer/sdk": {
    whole: 'export * from "@call-transfer/sdk";',
    one: 'export { CallTransferCore, listRoles } from "@call-transfer/sdk";',
    use: `import { CallTransfer } from "@call-transfer/sdk";
export const got = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "key" }).members.getAvailability("${id}");`,
  },
  stripe: {
    whole: 'export * from "stripe"; export { default } from "stripe";',
    use: `import Stripe from "stripe"; export const got = new Stripe("key").customers.retrieve("${id}");`,
  },
  openai: {
    whole: 'export * from "openai"; export { default } from "openai";',
    use: `import OpenAI from "openai"; export const got = new OpenAI({ apiKey: "key" }).models.retrieve("${id}");`,
  },
  "@anthropic-ai/sdk": {
    whole: 'export * from "@anthropic-ai/sdk"; export { default } from "@anthropic-ai/sdk";',
    one: `export { BaseAnthropic } from "@anthropic-ai/sdk/client";
export { Models } from "@anthropic-ai/sdk/resources/models";`,
    use: `import Anthropic from "@anthropic-ai/sdk"; export const got = new Anthropic({ apiKey: "key" }).models.retrieve("${id}");`,
  },
  "retell-sdk": {
    whole: 'export * from "retell-sdk"; export { default } from "retell-sdk";',
    use: `import Retell from "retell-sdk"; export const got = new Retell({ apiKey: "key" }).call.retrieve("${id}");`,
  },
  "openapi-fetch": {
    whole: 'export * from "openapi-fetch"; export { default } from "openapi-fetch";',
  },
};

/** Installs a package from the registry or a tarball, with what it depends on. */
function install(project, dependencies) {
  mkdirSync(project);
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description));
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--workspaces=false"];
  run(project, "npm", "install", ...options);
}

/** Kilobytes of 1,000 bytes of a bundle for browsers, after gzip -9. */
async function bundled(project, contents) {
  const options = { bundle: true, minify: true, format: "esm", platform: "browser", write: false, logLevel: "silent" };
  const external = ["node:*"];
  const { outputFiles } = await build({ ...options, external, stdin: { contents, resolveDir: project } });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

/** Milliseconds of processor time of `import()` in a new process. */
function importMs(project, name) {
  // Other processes add to the time that passes; a second thread of this one adds to the processor time.
  const script = `const start = performance.now(), used = process.cpuUsage(); await import("${name}");
    const passed = performance.now() - start, { user, system } = process.cpuUsage(used);
    console.log(Math.min(passed, (user + system) / 1000));`;
  return Number(run(project, process.execPath, "--input-type=module", "-e", script));
}

/** The fastest `import()` of each, in turns, because other load only adds time. */
function importTimes(projects, rounds) {
  const fastest = Object.fromEntries(Object.keys(projects).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, project] of Object.entries(projects)) {
      fastest[name] = Math.min(fastest[name], importMs(project, name));
    }
  }
  return fastest;
}

/** Megabytes that the compiler uses for a program. */
function compilerMb(project, program) {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
    ...{ target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"] },
  };
  writeFileSync(join(project, "program.ts"), program);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const runs = [0, 1, 2].map(() => {
    const report = run(project, process.execPath, tsc, "--extendedDiagnostics");
    return Number(/Memory used:\s+(\d+)K/.exec(report)[1]) / 1000;
  });
  return runs.toSorted((a, b) => a - b)[1];
}

/** Megabytes and number of the packages in a project. */
function installed(project) {
  const folder = join(project, "node_modules");
  const files = readdirSync(folder, { recursive: true }).map((path) => statSync(join(folder, path)));
  const lock = JSON.parse(readFileSync(join(folder, ".package-lock.json"), "utf8"));
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  return { megabytes: bytes / 1e6, packages: Object.keys(lock.packages).length };
}

/** The type that an editor shows for the result of a call. */
function shownType(project, program) {
  const file = join(project, "hover.ts");
  writeFileSync(file, `${program}\nexport const result = await got;\n`);
  const options = { strict: true, skipLibCheck: true, types: [], noEmit: true };
  const environment = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext };
  const compiled = ts.createProgram([file], { ...options, ...environment });
  const statement = compiled.getSourceFile(file).statements.at(-1);
  const [declaration] = statement.declarationList.declarations;
  const checker = compiled.getTypeChecker();
  return checker.typeToString(checker.getTypeAtLocation(declaration.name));
}

/** Entries of a package that a search finds. */
function entries(project, name, search) {
  const { exports = {} } = JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8"));
  return Object.keys(exports).filter((entry) => search.test(entry));
}

/** Whether both module formats load. */
function formats(project, name) {
  const load = (type, code) => {
    try {
      run(project, process.execPath, `--input-type=${type}`, "-e", code);
      return true;
    } catch {
      return false;
    }
  };
  const isRequired = load("commonjs", `process.exit(typeof require("${name}") === "undefined" ? 1 : 0)`);
  return isRequired && load("module", `await import("${name}")`);
}

/** The figures of each package, by its name. */
export async function sizes(importRounds) {
  using folder = temporaryFolder("bench-sdk");
  const tarballs = pack(folder.path, ["sdk"]);
  const projects = {};
  for (const name of Object.keys(programs)) {
    projects[name] = join(folder.path, name.replace(/\W/g, "-"));
    install(projects[name], { [name]: name in tarballs ? `file:../${tarballs[name]}` : versionOf(name) });
  }
  const imports = importTimes(projects, importRounds);
  const figures = {};
  for (const [name, { whole, one, use }] of Object.entries(programs)) {
    const project = projects[name];
    const empty = use && compilerMb(project, "export {};\n");
    figures[name] = {
      whole: await bundled(project, whole),
      one: one && (await bundled(project, one)),
      import: imports[name],
      ...installed(project),
      compiler: use && compilerMb(project, use) / empty,
      type: use && shownType(project, use),
      formats: formats(project, name),
      otel: entries(project, name, /otel|opentelemetry/i),
      query: entries(project, name, /query/i),
    };
  }
  return figures;
}
