// Plants each mutant that the parent process names, and finds the first contract case that fails.
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { type ContractCase, cases } from "@call-transfer/contract";
import { inProcessRunner } from "../../packages/contract/targets/in-process.ts";
import { contractMutants, type Mutant, type Outcome, sourceOf, withBug } from "./plant.ts";

const packages = new URL("../../packages/", import.meta.url).href;
const mark = "?copy=";
const planted = new Map<string, Mutant>();
const correct = new Map<string, string>();

/** The JavaScript of a file, with the bug if the mutant is in this file. */
function scriptOf(file: string, mutant: Mutant | undefined): string {
  if (mutant?.file === file) return stripTypeScriptTypes(withBug(mutant, sourceOf(file)));
  const known = correct.get(file) ?? stripTypeScriptTypes(sourceOf(file));
  correct.set(file, known);
  return known;
}

// Each mutant gets its own copy of the backend and its tables. The suite and the SDK keep the correct tables.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const copy = context.parentURL?.split(mark)[1];
    const isCopied = /^(backend|spec)\/src\//.test(resolved.url.slice(packages.length));
    return copy !== undefined && isCopied ? { ...resolved, url: resolved.url + mark + copy } : resolved;
  },
  load(url, context, next) {
    const [address = "", copy] = url.split(mark);
    if (copy === undefined) return next(url, context);
    return {
      format: "module",
      source: scriptOf(address.slice(packages.length), planted.get(copy)),
      shortCircuit: true,
    };
  },
});

let copies = 0;

async function loadBackend(mutant: Mutant | undefined) {
  const copy = String(copies++);
  if (mutant) planted.set(copy, mutant);
  const module: typeof import("@call-transfer/backend") = await import(`${packages}backend/src/index.ts${mark}${copy}`);
  return module.createBackend;
}

const titleOf = ({ resource, name }: ContractCase): string => `${resource}: ${name}`;
// These cases test the SDK and wait for real time.
const isSlow = ({ resource }: ContractCase): boolean => resource === "retries" || resource === "broken responses";

async function outcomeOf(name: string): Promise<Outcome> {
  const mutant = contractMutants.find((one) => one.name === name);
  const runner = inProcessRunner(name, await loadBackend(mutant));
  const rank = (one: ContractCase): number => (mutant?.first.test(titleOf(one)) ? 0 : isSlow(one) ? 2 : 1);
  for (const one of cases.toSorted((left, right) => rank(left) - rank(right))) {
    let failure: string | undefined;
    await runner.run([one], (run) => {
      failure = run.failure;
    });
    if (failure !== undefined) return { caughtBy: titleOf(one), failure };
  }
  return {};
}

// A bug may cause unhandled rejections.
process.on("unhandledRejection", () => {});
process.on("message", async (name: string) => {
  const outcome = await outcomeOf(name).catch((error: unknown): Outcome => ({ broken: String(error) }));
  process.send?.(outcome);
});
