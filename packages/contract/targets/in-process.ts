import { createBackend } from "@call-transfer/backend";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { backendTarget, createReceiver, exceptionsOf, restoreProblems } from "./backend-target.ts";
import { perCase, type TargetRunner } from "./runner.ts";

/** A backend that is called as a function; by default the reference backend. */
export const inProcessRunner = (name: string, create: typeof createBackend = createBackend): TargetRunner =>
  perCase(name, async () => {
    const { received, fetch } = createReceiver();
    const backend = create({ seed: world, now: start, fetch });
    const target = backendTarget(name, backend, received, {
      baseUrl: "http://localhost",
      fetch: (input, init) => backend.fetch(input, init, { address: "127.0.0.1" }),
    });
    return {
      target,
      // The derived cases write every field, and restoring after each case would take as long as all cases.
      problems: ({ resource }) => [
        ...exceptionsOf(backend),
        ...(resource === "properties" ? restoreProblems(backend) : []),
      ],
      close: async () => {},
    };
  });

/** The reference backend as a target. */
export const inProcess = inProcessRunner("in-process");
