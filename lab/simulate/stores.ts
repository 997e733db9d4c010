// A store that several processes of a receiver share, with every way in which stores behave.
import type { EventStore } from "@call-transfer/sdk/webhooks";
import { memoryStore } from "../../packages/sdk/tests/memory-store.ts";
import { currentRequest, type Process } from "./processes.ts";
import type { Random, Scheduler } from "./scheduler.ts";

/** How a store behaves. */
export interface StorePlan {
  readonly kind: "works" | "slow" | "fails" | "hangs" | "forgets";
  /** The longest time that a step takes to the store and back, in milliseconds. */
  readonly latencyMs: number;
  /** How often a step fails or hangs, from 0 to 1. */
  readonly failureRate: number;
  /** Which steps fail or hang. */
  readonly failing: readonly StepName[];
  /** Milliseconds after the start until which steps fail or hang. */
  readonly untilMs: number;
  /** Milliseconds after the start at which a store forgets everything once. */
  readonly forgetsAtMs: number;
}

export type StepName = "claim" | "complete" | "release";

/** A step that a process asked the store to do. */
export interface Step {
  readonly name: StepName;
  readonly key: string;
  readonly owner: string;
  readonly at: number;
  /** When the store did it; undefined if it never did. */
  doneAt?: number;
  /** What the store found. */
  found?: unknown;
  /** What the process received: undefined if nothing in time. */
  received?: unknown;
  failed: boolean;
}

/** The steps of one request to a receiver. */
export interface Stepping {
  readonly steps: Step[];
  /** Called before each step. */
  onStep(): void;
}

/** Creates the store of one receiver. `of` makes the connection of a process. */
export function createSharedStore(scheduler: Scheduler, plan: StorePlan, storeTimeoutMs: number, random: Random) {
  const start = scheduler.now;
  const owners = new Map<string, Stepping>();
  const now = (): number => scheduler.now;
  let shared = memoryStore(now);
  let forgotAt: number | undefined;
  if (plan.kind === "forgets")
    scheduler.after(plan.forgetsAtMs, () => {
      shared = memoryStore(now);
      forgotAt = scheduler.now;
    });

  const troubleOf = (name: StepName): "none" | "before" | "after" | "late" | "never" => {
    const isTroubled = plan.kind === "fails" || plan.kind === "hangs";
    if (!isTroubled || !plan.failing.includes(name) || now() - start > plan.untilMs) return "none";
    if (!random.chance(plan.failureRate)) return "none";
    return random.pick(plan.kind === "fails" ? (["before", "after"] as const) : (["late", "never"] as const));
  };

  /** The store of a process, whose keys begin with a scope. */
  const of = (process: Process, scope: string): EventStore => {
    const ask = <Result>(name: StepName, key: string, owner: string, act: () => Promise<Result>): Promise<Result> => {
      const stepping = owners.get(owner) ?? (currentRequest() as Stepping);
      owners.set(owner, stepping);
      const step: Step = { name, key, owner, at: now(), failed: false };
      stepping.steps.push(step);
      stepping.onStep();
      const trouble = troubleOf(name);
      const late = trouble === "late" ? storeTimeoutMs + random.between(1, 4000) : 0;
      const [there, back] = [random.next(), random.next()].map((part) => (part * plan.latencyMs) / 2);
      step.failed = trouble !== "none";
      return new Promise((resolve, reject) => {
        const answer = (deliver: () => void): void => void scheduler.after(back ?? 0, () => process.receive(deliver));
        const refuse = (): void => answer(() => reject(new Error("The connection to the store was lost.")));
        if (trouble === "never") return;
        scheduler.after((there ?? 0) + late, () => {
          if (trouble === "before") return refuse();
          step.doneAt = now();
          void act().then((result) => {
            step.found = result;
            if (trouble === "after") return refuse();
            answer(() => {
              if (!step.failed) step.received = result;
              resolve(result);
            });
          });
        });
      });
    };
    const at = (key: string): string => `${scope}:${key}`;
    return {
      claim: (key, owner, leaseMs) => ask("claim", key, owner, () => shared.claim(at(key), owner, leaseMs)),
      complete: (key, owner, answer) => ask("complete", key, owner, () => shared.complete(at(key), owner, answer)),
      release: (key, owner) => ask("release", key, owner, () => shared.release(at(key), owner)),
    };
  };
  return { of, forgotAt: () => forgotAt };
}
