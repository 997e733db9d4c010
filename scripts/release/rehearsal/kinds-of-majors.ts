// A major of the contract, and fixes of the major before.
import type { Expectation, Versions } from "./expectation.ts";
import { contract, type Kind, mcp, mock, sdk, versionsOf } from "./kind.ts";
import { StepError } from "./workflow.ts";

const prereleases: Readonly<Record<string, Versions>> = {
  [sdk]: { next: "1.2.0-next.0" },
  [contract]: { next: "0.3.2-next.0" },
  [mcp]: { next: "0.3.2-next.0" },
};

const latest = versionsOf("2.0.0 2.0.0 2.0.0 0.4.0 0.4.0 0.4.0");

export const contractMajor: Kind = {
  name: "major",
  does: "a tighter limit in the contract, which moves every package; customers stay",
  run(rehearsal) {
    rehearsal.changeContract("main", "openapi/schemas/destination-groups.yaml", ["maxLength: 100", "maxLength: 99"]);
    rehearsal.release("main");
    return { latest, tags: prereleases, customer: { [sdk]: "1.2.0", [mock]: "1.1.2" } };
  },
};

const withBackport: Omit<Expectation, "facts"> = {
  latest,
  tags: { ...prereleases, [sdk]: { ...prereleases[sdk], "release-1": "1.2.1" } },
  customer: { [sdk]: "1.2.1", [mock]: "1.1.2" },
};

export const backport: Kind = {
  name: "backport",
  does: "a fix for those who stay at 1.x",
  run(rehearsal) {
    rehearsal.repository.branch("release/1.x", `${sdk}@1.2.0`);
    rehearsal.fix("release/1.x", [sdk], "patch");
    rehearsal.release("release/1.x");
    return withBackport;
  },
};

export const misplacedBackport: Kind = {
  name: "misplaced",
  does: "the same from a branch that begins too early, which must fail",
  run(rehearsal) {
    rehearsal.repository.branch("release/1.0", `${sdk}@1.0.0`);
    rehearsal.fix("release/1.0", [sdk], "patch");
    rehearsal.propose("release/1.0");
    let said = "it did not fail";
    try {
      rehearsal.push("release/1.0");
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      said = error.message;
    }
    const isRefused = said.includes(`${sdk}@1.0.1 was released from a commit that this branch does not contain`);
    return { ...withBackport, facts: [["a refusal that says why", isRefused || said, true]] };
  },
};
