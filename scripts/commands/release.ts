// `npm run release -- NAME`: the steps of a release, which docs/releasing.md describes.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

const gate = onSources("scripts/release/gate.ts");

export const releaseSteps: NamedCommands = {
  check: { does: "the release that the changes since the last one call for; --write drafts it", run: [gate] },
  version: {
    does: "checks, bumps versions, writes changelogs and records the release",
    run: [
      gate,
      onSources("scripts/release/follow.ts"),
      ["node_modules/@changesets/cli/bin.js", "version"],
      onSources("scripts/release/changelogs.ts"),
      ["scripts/generate.ts"],
      [...gate, "--record"],
    ],
  },
  pack: {
    does: "writes tarballs, the files for PyPI, notes and a bill of materials into a new FOLDER",
    needs: "npm run build before, and Python 3.11 with venv",
    run: [["scripts/release/pack.ts"]],
  },
  "dry-run": {
    does: "moves the versions of one release in a clone and checks the result; packs it in two clones and installs it",
    parts: {
      versions: ["scripts/release/dry-run.ts", "versions"],
      packing: ["scripts/release/dry-run.ts", "packing"],
    },
  },
  rehearse: {
    does: "goes through every kind of release on a registry of this machine; patch stops after that kind",
    needs: "some minutes",
    isBuilt: true,
    run: [["scripts/release/rehearse.ts"]],
  },
  registry: {
    does: "packs the packages and serves them to npm on this machine",
    isBuilt: true,
    run: [["scripts/commands/registry.ts"]],
  },
};

if (import.meta.main) await runNamed("release", releaseSteps);
