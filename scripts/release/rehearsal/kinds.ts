// The kinds of release, in an order in which each finds what it needs. docs/releasing.md prints the commands of each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pythonClient, pythonPackage } from "../python-package.ts";
import { backend, contract, type Kind, mock, sdk, spec, versionsOf } from "./kind.ts";
import { backport, contractMajor, misplacedBackport, mixed } from "./kinds-of-majors.ts";
import { enterPrereleases, exitPrereleases } from "./kinds-of-prereleases.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { StepError, type WorkflowRun } from "./workflow.ts";

/** The commands that the page prints for packages that npm does not know yet. */
function publishByHand(rehearsal: Rehearsal): void {
  rehearsal.repository.checkOut("main");
  rehearsal.build();
  rehearsal.command("npm", "run", "release", "--", "pack", "packed");
  const order = readFileSync(join(rehearsal.repository.clone, "packed/order.txt"), "utf8");
  for (const line of order.split("\n").filter(Boolean)) {
    const tarball = line.split(" ")[2];
    rehearsal.command("npm", "publish", `./packed/${tarball}`, "--access", "public");
  }
}

const first: Kind = {
  name: "first",
  does: "the first publication, by hand",
  run(rehearsal) {
    if (rehearsal.isUnreleased()) rehearsal.propose("main");
    else rehearsal.beginWith(versionsOf("1.0.0 1.0.0 1.0.0 0.2.0 0.2.0 0.2.0"), "1.0.0");
    publishByHand(rehearsal);
    // The workflow finds every version at the registry, and only announces them.
    const { jobs } = rehearsal.push("main");
    return {
      facts: [
        ["jobs of the workflow", jobs, ["plan", "check", "publish", "pypi", "announce"]],
        ["the Python client", rehearsal.publishedPython(), ["1.0.0"]],
      ],
      latest: versionsOf("1.0.0 1.0.0 1.0.0 0.2.0 0.2.0 0.2.0"),
      customer: { [sdk]: "1.0.0", [mock]: "1.0.0", [pythonClient]: "1.0.0" },
    };
  },
};

const patch: Kind = {
  name: "patch",
  does: "a fix of both clients, from its edit to what customers install",
  run(rehearsal) {
    rehearsal.fix("main", [sdk, pythonPackage], "patch");
    rehearsal.release("main");
    return {
      latest: versionsOf("1.0.0 1.0.1 1.0.0 0.2.0 0.2.0 0.2.0"),
      customer: { [sdk]: "1.0.1", [mock]: "1.0.0", [pythonClient]: "1.0.1" },
    };
  },
};

const withdrawn: Kind = {
  name: "withdrawn",
  does: "that fix was wrong and is taken back",
  async run(rehearsal) {
    rehearsal.command("npm", "deprecate", `${sdk}@1.0.1`, "It is wrong. Install 1.0.0.");
    rehearsal.command("npm", "dist-tag", "add", `${sdk}@1.0.0`, "latest");
    rehearsal.yankPython("1.0.1");
    const { versions } = await rehearsal.published(sdk);
    const newcomers = rehearsal.managers.map((manager) => {
      const customer = rehearsal.customer(`new-${manager.replace(" ", "-")}`, manager);
      customer.add();
      customer.check();
      return customer.version(sdk);
    });
    const pythonNewcomers = rehearsal.pythonManagers.map((manager) => {
      const customer = rehearsal.pythonCustomer(`new-${manager}`, manager);
      customer.add();
      return customer.version(pythonClient);
    });
    return {
      facts: [
        ["the deprecation", versions["1.0.1"]?.deprecated, "It is wrong. Install 1.0.0."],
        ["what new customers get", newcomers, rehearsal.managers.map(() => "1.0.0")],
        ["what new customers get in Python", pythonNewcomers, rehearsal.pythonManagers.map(() => "1.0.0")],
      ],
      latest: versionsOf("1.0.0 1.0.0 1.0.0 0.2.0 0.2.0 0.2.0"),
      // Managers differ in whether an update goes back.
      customer: { [mock]: "1.0.0" },
    };
  },
};

/** The failure of a push that must fail, by its job and by the end of what it said. */
function failureOf(push: () => WorkflowRun): { readonly job: string; readonly end: string } {
  try {
    return { job: `none of ${push().jobs.join(", ")}`, end: "" };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return { job: error.job, end: error.message.split("\n").at(-1) ?? "" };
  }
}

const killed: Kind = {
  name: "killed",
  does: "the process that publishes is killed after its first package; customers in this state",
  run(rehearsal) {
    rehearsal.fix("main", [spec, backend], "patch");
    rehearsal.propose("main");
    const failed = failureOf(() => rehearsal.pushKilled("main", 1));
    return {
      facts: [["what was killed", failed, { job: "publish", end: "It was ended by SIGKILL." }]],
      // The contract skips the number that the SDK has had.
      latest: versionsOf("1.0.2 1.0.0 1.0.0 0.2.0 0.2.0 0.2.0"),
      customer: { [mock]: "1.0.0" },
    };
  },
};

const resumed: Kind = {
  name: "resumed",
  does: "its next run is refused a package by the registry, another change is merged, and the run after that does the rest",
  async run(rehearsal) {
    await rehearsal.registry.refuse(contract);
    const failed = failureOf(() => rehearsal.push("main"));
    await rehearsal.registry.refuse(undefined);
    const half = (await Promise.all([spec, backend, contract, mock].map((name) => rehearsal.published(name)))).map(
      ({ tags }) => tags.latest,
    );
    rehearsal.fix("main", [mock], "patch");
    const again = rehearsal.push("main");
    return {
      facts: [
        ["the job that failed", failed.job, "publish"],
        ["what was published by then", half, ["1.0.2", "0.2.1", "0.2.0", "1.0.0"]],
        ["jobs of the next run", again.jobs, ["plan", "version", "propose", "check", "publish", "pypi", "announce"]],
      ],
      latest: versionsOf("1.0.2 1.0.0 1.0.1 0.2.1 0.2.1 0.2.1"),
      customer: { [mock]: "1.0.1" },
    };
  },
};

const minor: Kind = {
  name: "minor",
  does: "a field more in the contract, which moves every package; with the change that was merged meanwhile",
  run(rehearsal) {
    rehearsal.changeContract("main", "openapi/schemas/roles.yaml", [
      "properties:\n",
      "properties:\n    hue: { type: string, description: Its hue. }\n",
    ]);
    rehearsal.release("main");
    return {
      facts: [["the Python client", rehearsal.publishedPython(), ["1.0.0", "1.0.1", "1.1.0"]]],
      latest: versionsOf("1.1.0 1.1.0 1.1.0 0.3.0 0.3.0 0.3.0"),
      customer: { [sdk]: "1.1.0", [mock]: "1.1.0", [pythonClient]: "1.1.0" },
    };
  },
};

export const kinds: readonly Kind[] = [
  ...[first, patch, withdrawn, killed, resumed, minor],
  ...[enterPrereleases, exitPrereleases, contractMajor, mixed, backport, misplacedBackport],
];
