// `npm test`: lint, types, generated files, then the contract suite and the unit tests. Options go to Vitest, such as
// `npm test -- --reporter=json`.
import { runSteps, type Step } from "./steps.ts";

const npm = (script: string, ...options: string[]): Step => ({
  name: script,
  command: ["npm", "run", "--silent", script, ...(options.length > 0 ? ["--", ...options] : [])],
});

const quick = await runSteps([npm("typecheck"), npm("lint"), npm("generate", "--check")]);
const long = await runSteps([npm("test:contract"), npm("test:unit", ...process.argv.slice(2))]);

const results = [...quick, ...long];
const failed = results.filter(({ passed }) => !passed).map(({ step }) => step.name);
const seconds = results.map(({ step, seconds }) => `${step.name} ${seconds} s`).join(", ");
console.log(`\n${failed.length === 0 ? "All passed" : `Failed: ${failed.join(", ")}`} (${seconds})`);
if (failed.length > 0) process.exitCode = 1;
