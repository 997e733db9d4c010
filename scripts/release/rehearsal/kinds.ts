// The kinds of release, in an order in which each finds what it needs. docs/releasing.md prints the commands of each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Expectation } from "./expectation.ts";
import type { Rehearsal } from "./rehearsal.ts";

/** A kind of release. */
export interface Kind {
  readonly name: string;
  readonly does: string;
  /** Goes through the release. Returns what must hold afterwards. */
  run(rehearsal: Rehearsal): Promise<Expectation> | Expectation;
}

const [spec, sdk, mock] = ["@call-transfer/spec", "@call-transfer/sdk", "@call-transfer/mock-server"] as const;
const [backend, contract, mcp] = ["@call-transfer/backend", "@call-transfer/contract", "@call-transfer/mcp"] as const;

/** The commands that the page prints for packages that npm does not know yet. */
function publishByHand(rehearsal: Rehearsal): void {
  rehearsal.repository.checkOut("main");
  rehearsal.build();
  rehearsal.command("npm", "run", "release", "--", "pack", "packed");
  const order = readFileSync(join(rehearsal.repository.clone, "packed/order.txt"), "utf8");
  for (const line of order.split("\n").filter(Boolean)) {
    const tarball = line.split(" ")[2];
    rehearsal.command("npm", "publish", `packed/${tarball}`, "--access", "public");
  }
}

const first: Kind = {
  name: "first",
  does: "the first publication, by hand",
  run(rehearsal) {
    rehearsal.propose("main");
    publishByHand(rehearsal);
    const { jobs } = rehearsal.push("main");
    return {
      jobs: { ran: jobs, must: ["plan", "check", "publish", "announce"] },
      latest: {
        [spec]: "1.0.0",
        [sdk]: "1.0.0",
        [mock]: "1.0.0",
        [backend]: "0.2.0",
        [contract]: "0.2.0",
        [mcp]: "0.2.0",
      },
      customer: { [sdk]: "1.0.0", [mock]: "1.0.0" },
    };
  },
};

const patch: Kind = {
  name: "patch",
  does: "a fix of the SDK",
  run(rehearsal) {
    rehearsal.repository.change("main", () => {
      rehearsal.repository.append("packages/sdk/src/index.ts", "// A fix.");
      rehearsal.repository.changeset([sdk], "patch", "Fixes what the rehearsal of a patch fixes.");
    });
    rehearsal.release("main");
    return {
      latest: {
        [spec]: "1.0.0",
        [sdk]: "1.0.1",
        [mock]: "1.0.0",
        [backend]: "0.2.0",
        [contract]: "0.2.0",
        [mcp]: "0.2.0",
      },
      customer: { [sdk]: "1.0.1", [mock]: "1.0.0" },
    };
  },
};

export const kinds: readonly Kind[] = [first, patch];
