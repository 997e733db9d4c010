// `npm test`: the contract suite, the unit tests, types, lint and generated files, side by side. Options go to Vitest, such
// as `npm test -- --reporter=json`. Those in a browser, of the release tools and of the night are other projects of
// vitest.config.ts, such as `npx vitest run --project=browser`.
import { fileURLToPath } from "node:url";
import { runSteps, type Step } from "./steps.ts";

const npm = (script: string, ...options: string[]): Step => ({
  name: script,
  command: ["npm", "run", "--silent", script, ...(options.length > 0 ? ["--", ...options] : [])],
});

/** The steps. The first two take most of the time; they and the quick ones make three lanes. */
export const testSteps = (vitestOptions: readonly string[] = []): readonly Step[] => [
  { name: "unit", command: ["npx", "vitest", "run", "--project=unit", "--project=vite", ...vitestOptions] },
  npm("test:contract"),
  npm("typecheck"),
  { name: "biome", command: ["npx", "biome", "ci"] },
  {
    name: "layers",
    command: ["npx", "depcruise", "build", "packages", "scripts", "site", "tests", "lab", "--config"],
  },
  npm("generate", "--check"),
];

if (import.meta.main) {
  // Each program compiles its sources once, and not once a run.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url));
  const startedAt = performance.now();
  const results = await runSteps(testSteps(process.argv.slice(2)), 3);
  const failed = results.filter(({ passed }) => !passed).map(({ step }) => step.name);
  const times = results
    .map(({ step, seconds, processorSeconds }) => `${step.name} ${seconds} s (processor ${processorSeconds} s)`)
    .join(", ");
  const outcome = failed.length === 0 ? "All passed" : `Failed: ${failed.join(", ")};`;
  console.log(`\n${outcome} in ${Math.round((performance.now() - startedAt) / 1000)} s: ${times}`);
  if (failed.length > 0) process.exitCode = 1;
}
