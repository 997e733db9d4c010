// The kinds of release, in an order in which each finds what it needs. docs/releasing.md prints the commands of each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { backend, contract, type Kind, mock, sdk, spec, versionsOf } from "./kind.ts";
import { backport, contractMajor, misplacedBackport, mixed } from "./kinds-of-majors.ts";
import { enterPrereleases, exitPrereleases } from "./kinds-of-prereleases.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { StepError } from "./workflow.ts";

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
      customer: { [sdk]: "1.0.0", [mock]: "1.0.0" },
    };
  },
};

const patch: Kind = {
  name: "patch",
  does: "a fix of the SDK, from its edit to what customers install",
  run(rehearsal) {
    rehearsal.fix("main", [sdk], "patch");
    rehearsal.release("main");
    return {
      latest: versionsOf("1.0.0 1.0.1 1.0.0 0.2.0 0.2.0 0.2.0"),
      customer: { [sdk]: "1.0.1", [mock]: "1.0.0" },
    };
  },
};

const withdrawn: Kind = {
  name: "withdrawn",
  does: "that fix was wrong and is taken back",
  async run(rehearsal) {
    rehearsal.command("npm", "deprecate", `${sdk}@1.0.1`, "It is wrong. Install 1.0.0.");
    rehearsal.command("npm", "dist-tag", "add", `${sdk}@1.0.0`, "latest");
    const { versions } = await rehearsal.published(sdk);
    const newcomers = rehearsal.managers.map((manager) => {
      const customer = rehearsal.customer(`new-${manager.replace(" ", "-")}`, manager);
      customer.add();
      customer.check();
      return customer.version(sdk);
    });
    return {
      facts: [
        ["the deprecation", versions["1.0.1"]?.deprecated, "It is wrong. Install 1.0.0."],
        ["what new customers get", newcomers, rehearsal.managers.map(() => "1.0.0")],
      ],
      latest: versionsOf("1.0.0 1.0.0 1.0.0 0.2.0 0.2.0 0.2.0"),
      // Managers differ in whether an update goes back.
      customer: { [mock]: "1.0.0" },
    };
  },
};

/** Pushes while the registry refuses a package. Returns the job that failed. */
async function pushRefused(rehearsal: Rehearsal, name: string): Promise<string> {
  await rehearsal.registry.refuse(name);
  try {
    const { jobs } = rehearsal.push("main");
    return `none of ${jobs.join(", ")}`;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return error.job;
  } finally {
    await rehearsal.registry.refuse(undefined);
  }
}

const resumed: Kind = {
  name: "resumed",
  does: "the registry refuses the third package, another change is merged, and the release is resumed",
  async run(rehearsal) {
    rehearsal.fix("main", [spec, backend], "patch");
    rehearsal.propose("main");
    const failed = await pushRefused(rehearsal, contract);
    const half = (await Promise.all([spec, backend, contract, mock].map((name) => rehearsal.published(name)))).map(
      ({ tags }) => tags.latest,
    );
    rehearsal.fix("main", [mock], "patch");
    const again = rehearsal.push("main");
    return {
      facts: [
        ["the job that failed", failed, "publish"],
        ["what was published by then", half, ["1.0.2", "0.2.1", "0.2.0", "1.0.0"]],
        ["jobs of the next run", again.jobs, ["plan", "version", "propose", "check", "publish", "pypi", "announce"]],
      ],
      // The contract skips the number that the SDK has had.
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
      facts: [["the Python client", rehearsal.publishedPython(), ["1.0.0", "1.1.0"]]],
      latest: versionsOf("1.1.0 1.1.0 1.1.0 0.3.0 0.3.0 0.3.0"),
      customer: { [sdk]: "1.1.0", [mock]: "1.1.0" },
    };
  },
};

export const kinds: readonly Kind[] = [
  ...[first, patch, withdrawn, resumed, minor],
  ...[enterPrereleases, exitPrereleases, contractMajor, mixed, backport, misplacedBackport],
];
