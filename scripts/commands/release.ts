// `npm run release -- NAME`: the steps of a release, which docs/releasing.md describes.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

const gate = onSources("scripts/release/gate.ts");

export const releaseSteps: NamedCommands = {
  check: { does: "the release that the changes since the last one call for; --write drafts it", run: [gate] },
  version: {
    does: "checks, bumps versions, writes changelogs and records the release",
    run: [gate, ["node_modules/@changesets/cli/bin.js", "version"], ["scripts/generate.ts"], [...gate, "--record"]],
  },
  pack: {
    does: "writes tarballs, the files for PyPI, notes and a bill of materials into a new FOLDER",
    needs: "npm run build before, and Python 3.11 with venv",
    run: [["scripts/release/pack.ts"]],
  },
  rehearse: {
    does: "releases on a registry of this machine: first, patch, minor, interrupted, resumed; a name stops after that kind",
    needs: "some minutes",
    isBuilt: true,
    run: [["scripts/release/rehearsal/rehearse.ts"]],
  },
};

if (import.meta.main) await runNamed("release", releaseSteps);
