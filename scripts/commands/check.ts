// `npm run check -- NAME`: checks of what is published, of the pages and of servers.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

export const checks: NamedCommands = {
  packed: {
    does: "lockfiles and licences, whether each packed package is complete, the tests of receivers and clients on what is packed, the types of examples/",
    isBuilt: true,
    installs: "tests/lint",
    run: [
      ["tests/packages/check-supply-chain.ts"],
      ["tests/packages/check-packages.ts"],
      ["tests/packages/check-packed.ts"],
      ["node_modules/typescript-7/bin/tsc", "-p", "examples", "--skipLibCheck"],
    ],
  },
  customers: {
    does: "the packed packages in compilers, test runners and package managers, and the SDK's size",
    needs: "a browser, and Python 3.11 with venv",
    isBuilt: true,
    installs: "tests/tools",
    parts: {
      consumers: onSources("tests/packages/check-consumers.ts"),
      runners: onSources("tests/packages/check-runners.ts"),
      add: ["tests/packages/check-add.ts"],
      size: ["tests/packages/check-size.ts"],
    },
  },
  runtimes: {
    does: "the packed packages on each Node, Bun, Deno, workerd and a browser, and the Python client on each Python; node-20 runs one row",
    needs: "the versions of Python, and a browser; the rows of stores also redis-server and PostgreSQL",
    isBuilt: true,
    run: [onSources("tests/runtimes/check-runtimes.ts")],
  },
  pages: {
    does: "what the pages print, done as a stranger would in new folders; docs/sdk.md runs one page",
    isBuilt: true,
    run: [onSources("tests/pages/check-pages.ts")],
  },
  receiving: {
    does: "webhook stores over real databases; the programs of docs/recipes.md with the packed SDK over HTTP, also through a rotation: recipes express runs one",
    needs: "redis-server and PostgreSQL",
    isBuilt: true,
    parts: {
      stores: onSources("tests/receiving/check-receiving.ts"),
      recipes: onSources("tests/packages/check-recipes.ts"),
    },
  },
  hosting: {
    does: "the hosted mock server of docs/hosting.md in Cloudflare's runtime; restarts runs one part",
    run: [onSources("tests/hosting/check-hosting.ts")],
  },
  site: {
    does: "builds the site, follows every link, opens pages in a browser, runs the playground; --built playground runs one part",
    needs: "a browser",
    run: [onSources("site/tests/check-site.ts")],
  },
  document: {
    does: "the published document: clients of other makers' generators against a mock server, and the mock server judged by Schemathesis",
    needs: "Python 3.11 with venv, Go and Java 11",
    parts: {
      generators: onSources("tests/generators/check-generators.ts"),
      schemathesis: onSources("tests/schemathesis/check-schemathesis.ts"),
    },
  },
  python: {
    does: "the Python client: format, types, tests, the built package; tests runs one part",
    needs: "Python 3.11 with venv",
    run: [onSources("tests/python/check-python.ts")],
  },
};

if (import.meta.main) await runNamed("check", checks);
