// `npm run lab -- NAME`: the long experiments of lab/, which lab/README.md describes.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

export const experiments: NamedCommands = {
  simulate: {
    does: "SDK, backend and receivers on virtual time under every fault; --mutants plants bugs; --help lists more",
    run: [onSources("lab/simulate/simulate.ts")],
  },
  kills: {
    does: "kills a mock server while clients write, and looks for lost data, as each night; --kind sqlite --kills 1000, --plant all",
    run: [onSources("lab/kills/check-kills.ts")],
  },
  crashes: {
    does: "kills and stops processes behind one event store, as each night; --store redis --deliveries 100000, --plant all",
    needs: "redis-server, PostgreSQL, and Python 3.11 with venv",
    installs: "lab",
    run: [["node_modules/typescript-7/bin/tsc", "-p", "lab/crashes"], onSources("lab/crashes/check-crashes.ts")],
  },
  outages: {
    does: "bursts, and stores that restart, hang, forget, are full or fail over, as each night; --act restart --on-store-error reject",
    needs: "redis-server and PostgreSQL",
    installs: "lab",
    run: [onSources("lab/crashes/check-outages.ts")],
  },
  resilience: {
    does: "the figures of docs/resilience.md over real sockets; --runtimes measures the runtimes themselves",
    run: [onSources("lab/resilience/check-resilience.ts")],
  },
  mutants: {
    does: "breaks the backend in one place at a time, and each must fail a case; --only TEXT --why looks at some",
    run: [onSources("lab/mutation/main.ts")],
  },
  "wrong-facts": {
    does: "writes wrong facts into a copy of openapi/, and the comparison with the specification must catch each",
    run: [onSources("lab/mutation/wrong-facts.ts")],
  },
  mutate: {
    does: "StrykerJS over the backend and the SDK; --mutate FILE for one file",
    run: [["node_modules/@stryker-mutator/core/bin/stryker.js", "run", "lab/mutation/stryker.config.json"]],
  },
  survivors: {
    does: "compares the report of mutate with lab/mutation/survivors.txt",
    run: [["lab/mutation/check-survivors.ts"]],
  },
  bench: {
    does: "the SDK, the mock server, data files and receivers beside their peers; the mock server as its work grows",
    needs: "redis-server for webhooks",
    isBuilt: true,
    installs: "lab",
    parts: {
      server: ["lab/bench/mock-server.mjs"],
      data: ["lab/bench/data.mjs"],
      growth: ["lab/bench/growth.mjs"],
      sdk: ["lab/bench/sdk.mjs"],
      transport: ["lab/bench/transport.mjs"],
      webhooks: ["lab/bench/webhooks.mjs"],
      summary: ["lab/bench/summary.ts"],
    },
  },
  python: {
    does: "the Python client beside other SDKs: a lost answer, a body that drips, a long hint, import, GET, size, types",
    needs: "Python 3.11 with venv",
    run: [onSources("lab/python/compare.ts")],
  },
  "python-fire": {
    does: "the Python client under every fault over real sockets; --requests 10000 --mode sync --seed 1, --help lists more",
    needs: "Python 3.11 with venv",
    run: [onSources("lab/python/fire.ts")],
  },
  soak: {
    does: "the mock server's memory under ten minutes of load; --minutes 60 for an hour",
    run: [onSources("--expose-gc", "lab/soak.ts")],
  },
};

if (import.meta.main) await runNamed("lab", experiments);
