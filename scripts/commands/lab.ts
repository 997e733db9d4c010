// `npm run lab -- NAME`: the long experiments of lab/, which lab/README.md describes.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

export const experiments: NamedCommands = {
  simulate: {
    does: "SDK and backend on virtual time under every fault",
    run: [onSources("lab/simulate/simulate.ts")],
  },
  fire: {
    does: "kills, stops and starves processes: data files, receivers, their stores, the Python client; data runs one plan",
    needs: "redis-server, PostgreSQL, and Python 3.11 with venv",
    installs: "lab",
    run: [["node_modules/typescript-7/bin/tsc", "-p", "lab/fire"], onSources("lab/fire/main.ts")],
  },
  mutants: {
    does: "plants bugs, one at a time, and each must be caught: by a contract case; simulation and facts run others",
    run: [onSources("lab/mutation/main.ts")],
  },
  runtimes: {
    does: "whether a runtime sends a placement again whose connection ends, for docs/runtime-retries.md",
    needs: "a browser",
    installs: "tests/tools",
    run: [onSources("lab/resilience/runtime-retries.ts")],
  },
  bench: {
    does: "every figure beside its peer: SDK, mock server, data files, receivers, the Python client; sdk runs one part",
    needs: "Python 3.11 with venv",
    isBuilt: true,
    installs: "lab",
    run: [["lab/bench/main.ts"]],
  },
  soak: {
    does: "the mock server's memory under ten minutes of load; --minutes 60 for an hour",
    run: [onSources("--expose-gc", "lab/soak.ts")],
  },
};

if (import.meta.main) await runNamed("lab", experiments);
