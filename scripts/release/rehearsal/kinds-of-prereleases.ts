// Prereleases: into them and out of them.
import { pythonClient, pythonPackage } from "../python-package.ts";
import { contract, type Kind, mcp, mock, sdk, versionsOf } from "./kind.ts";

export const enterPrereleases: Kind = {
  name: "prerelease",
  does: "a feature of both clients as a prerelease, for customers who name its tag, or --pre in Python",
  run(rehearsal) {
    rehearsal.repository.change("main", () => {
      rehearsal.command("npx", "changeset", "pre", "enter", "next");
    });
    rehearsal.fix("main", [sdk, pythonPackage], "minor");
    rehearsal.release("main");
    return {
      facts: [["the Python client", rehearsal.publishedPython().at(-1), "1.2.0.dev0"]],
      latest: versionsOf("1.1.0 1.1.0 1.1.0 0.3.0 0.3.0 0.3.0"),
      tags: {
        [sdk]: { next: "1.2.0-next.0" },
        [contract]: { next: "0.3.1-next.0" },
        [mcp]: { next: "0.3.1-next.0" },
      },
      customer: { [sdk]: "1.1.0", [mock]: "1.1.0", [pythonClient]: "1.1.0" },
    };
  },
};

export const exitPrereleases: Kind = {
  name: "final",
  does: "the same feature for everybody",
  run(rehearsal) {
    rehearsal.repository.change("main", () => {
      rehearsal.command("npx", "changeset", "pre", "exit");
    });
    rehearsal.release("main");
    const left = rehearsal.repository.git("ls-files", ".changeset").split("\n");
    return {
      facts: [["what is left in .changeset", left, [".changeset/README.md", ".changeset/config.json"]]],
      // Changesets counts the prereleases of linked packages together, so spec gets a version without changes.
      latest: versionsOf("1.1.1 1.2.0 1.1.0 0.3.0 0.3.1 0.3.1"),
      tags: {
        [sdk]: { next: "1.2.0-next.0" },
        [contract]: { next: "0.3.1-next.0" },
        [mcp]: { next: "0.3.1-next.0" },
      },
      customer: { [sdk]: "1.2.0", [mock]: "1.1.0", [pythonClient]: "1.2.0" },
    };
  },
};
