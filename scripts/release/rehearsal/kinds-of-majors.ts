// A major of the contract, and fixes of the major before.
import { pythonClient } from "../python-package.ts";
import type { Expectation, Versions } from "./expectation.ts";
import { contract, type Kind, mcp, mock, sdk, versionsOf } from "./kind.ts";

const prereleases: Readonly<Record<string, Versions>> = {
  [sdk]: { next: "1.2.0-next.0" },
  [contract]: { next: "0.3.1-next.0" },
  [mcp]: { next: "0.3.1-next.0" },
};

const latest = versionsOf("2.0.0 2.0.0 2.0.0 0.4.0 0.4.0 0.4.0");

export const contractMajor: Kind = {
  name: "major",
  does: "a tighter limit in the contract, which moves every package; customers stay",
  run(rehearsal) {
    rehearsal.changeContract("main", "openapi/schemas/destination-groups.yaml", ["maxLength: 100", "maxLength: 99"]);
    rehearsal.release("main");
    const pythonVersions = ["1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.2.0.dev0", "2.0.0"];
    const facts = [["the Python client", rehearsal.publishedPython(), pythonVersions]] as const;
    const customer = { [sdk]: "1.2.0", [mock]: "1.1.0", [pythonClient]: "1.2.0" };
    return { facts, latest, tags: prereleases, customer };
  },
};

const withBackport: Omit<Expectation, "facts"> = {
  latest,
  tags: { ...prereleases, [sdk]: { ...prereleases[sdk], "release-1": "1.2.1" } },
  customer: { [sdk]: "1.2.1", [mock]: "1.1.0" },
};

/** Ranges that a customer may not mix, with what the error must tell to install. */
const mixes = [
  { packages: [`${sdk}@^1`, `${mock}@^2`], fix: `npm install ${sdk}@^2` },
  { packages: [`${sdk}@^2`, `${mock}@^1`], fix: `npm install --save-dev ${mock}@latest` },
];

export const mixed: Kind = {
  name: "mixed",
  does: "an SDK of one major with a mock server of another, which must be refused with what to install",
  run(rehearsal) {
    const facts = rehearsal.managers.flatMap((manager) =>
      mixes.map(({ packages, fix }, index) => {
        const customer = rehearsal.customer(`mixed-${index}-${manager.replace(" ", "-")}`, manager);
        customer.add(...packages);
        const said = failureOf(() => customer.check());
        return [`${manager} with ${packages.join(" and ")}`, said.includes(fix) || said, true] as const;
      }),
    );
    return { facts, latest, tags: prereleases, customer: { [sdk]: "1.2.0", [mock]: "1.1.0" } };
  },
};

/** What an error says; a remark if there is none. */
function failureOf(use: () => unknown): string {
  try {
    use();
    return "It did not fail.";
  } catch (error) {
    return (error as Error).message;
  }
}

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
    const said = failureOf(() => rehearsal.push("release/1.0"));
    const isRefused = said.includes(`${sdk}@1.0.1 was released from a commit that this branch does not contain`);
    return { ...withBackport, facts: [["a refusal that says why", isRefused || said, true]] };
  },
};
