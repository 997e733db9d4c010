// Finds for one mutant after another the first case that fails on it, as its parent asks.
import { type ContractCase, cases } from "@call-transfer/contract";
import { inProcessRunner } from "../../packages/contract/targets/in-process.ts";
import { loadBackend } from "./mutant-backend.ts";
import { mutantGroups } from "./mutants.ts";

/** What came of a mutant, or of a right backend: the case that failed and what it said, nothing when all passed. */
export interface Outcome {
  readonly caughtBy?: string;
  readonly failure?: string;
  /** Why it could not be tried. */
  readonly broken?: string;
}

const titleOf = ({ noun, name }: ContractCase): string => `${noun}: ${name}`;
// Here the SDK is put to the test, and time passes.
const isSlow = ({ noun }: ContractCase): boolean => noun === "retries" || noun === "broken responses";

/** The cases in the order in which they are likely to fail; always the same for the same mutant. */
function ordered(first: RegExp): ContractCase[] {
  const rank = (one: ContractCase): number => (first.test(titleOf(one)) ? 0 : isSlow(one) ? 2 : 1);
  return cases.toSorted((one, other) => rank(one) - rank(other));
}

const mutants = new Map(Object.values(mutantGroups).flatMap((group) => group.map((mutant) => [mutant.name, mutant])));

async function outcomeOf(name: string): Promise<Outcome> {
  const mutant = mutants.get(name);
  const runner = inProcessRunner(name, await loadBackend(mutant));
  for (const one of ordered(mutant?.first ?? /^/)) {
    let failure: string | undefined;
    await runner.run([one], (run) => {
      failure = run.failure;
    });
    if (failure !== undefined) return { caughtBy: titleOf(one), failure };
  }
  return {};
}

// A bug may leave promises behind that nobody waits for.
process.on("unhandledRejection", () => {});
process.on("message", async (name: string) => {
  const outcome = await outcomeOf(name).catch((error: unknown): Outcome => ({ broken: String(error) }));
  process.send?.(outcome);
});
