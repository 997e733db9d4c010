// `npm run check -- NAME`: checks of what is published, of the pages and of servers.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

export const checks: NamedCommands = {
  packed: {
    does: "whether each packed package is complete, the tests of receivers and clients on what is packed, the types of examples/",
    isBuilt: true,
    run: [
      ["tests/packages/check-packages.ts"],
      ["tests/packages/check-packed.ts"],
      ["node_modules/typescript-7/bin/tsc", "-p", "examples", "--skipLibCheck"],
    ],
  },
  consumers: {
    does: "programs built on the packed packages: each TypeScript, each bundler",
    isBuilt: true,
    run: [onSources("tests/packages/check-consumers.ts")],
  },
  runners: {
    does: "the fixtures for tests with the real Vitest and Playwright; --oldest takes the oldest supported versions",
    needs: "a browser",
    isBuilt: true,
    run: [onSources("tests/packages/check-runners.ts")],
  },
  runtimes: {
    does: "the packed SDK on Node 20 to 26, Bun, Deno, Cloudflare's runtime and in a browser",
    needs: "a browser",
    isBuilt: true,
    run: [onSources("tests/packages/check-runtimes.ts")],
  },
  matrix: {
    does: "the unit tests and the built packages on each Node and Python that they support; node-20, stores-20 or python-3.13 runs one row",
    needs: "the versions of Python; the rows of stores also redis-server and PostgreSQL",
    isBuilt: true,
    run: [onSources("tests/matrix/check-matrix.ts")],
  },
  size: {
    does: "what the packed SDK weighs; npm run record -- sizes writes the sizes into the pages that state them",
    isBuilt: true,
    run: [["tests/packages/check-size.ts"]],
  },
  image: {
    does: "the file system of the Dockerfile's image, built and run without a container engine",
    isBuilt: true,
    run: [onSources("tests/packages/check-image.ts")],
  },
  add: {
    does: "npm run add into new folders by npm with Python, pnpm, Yarn 1 and 4, and Bun, before and after a change, and examples under pnpm; bun runs one",
    needs: "Python 3.11 with venv",
    isBuilt: true,
    installs: "tests/tools",
    run: [["tests/packages/check-add.ts"]],
  },
  pages: {
    does: "what the pages print, done as a stranger would in new folders; docs/sdk.md runs one page",
    isBuilt: true,
    run: [onSources("tests/pages/check-pages.ts")],
  },
  recipes: {
    does: "the programs of docs/recipes.md with the packed SDK over HTTP, also through a rotation; express runs one, installed each in a folder of its own",
    needs: "redis-server",
    isBuilt: true,
    run: [onSources("tests/packages/check-recipes.ts")],
  },
  receiving: {
    does: "the event stores over real databases",
    needs: "redis-server and PostgreSQL; --installed says whether they are there",
    run: [onSources("tests/receiving/check-receiving.ts")],
  },
  hosting: {
    does: "two mock servers behind nginx as in docs/hosting.md, and Cloudflare's runtime; restarts runs one part",
    needs: "nginx; --installed says whether it is there",
    run: [onSources("tests/hosting/check-hosting.ts")],
  },
  site: {
    does: "builds the site, follows every link, opens pages in a browser, runs the playground; --built playground runs one part",
    needs: "a browser",
    run: [onSources("site/tests/check-site.ts")],
  },
  collections: {
    does: "the collections of requests: Postman's with Newman against a mock server, Bruno's by Bruno's schema",
    run: [onSources("--test", "--test-reporter=spec", "tests/collections/check-collections.ts")],
  },
  generators: {
    does: "clients that generators of other makers make of the published document, against a mock server; orval runs one",
    needs: "Python 3.11 with venv, Go and Java 11",
    run: [onSources("tests/generators/check-generators.ts")],
  },
  schemathesis: {
    does: "the mock server, judged by Schemathesis from the published document; --seed repeats a run of the night",
    needs: "Python 3.11 with venv; --installed says whether it is there",
    run: [onSources("tests/schemathesis/check-schemathesis.ts")],
  },
  python: {
    does: "the Python client: format, types, tests, the package from an index; tests runs one part",
    needs: "Python 3.11 with venv; --installed says whether it is there",
    run: [onSources("tests/python/check-python.ts")],
  },
  workflows: {
    does: "the workflows of GitHub, by zizmor, and by actionlint with shellcheck",
    needs: "Python 3.11 with venv, and Go",
    run: [onSources("tests/workflows/check-workflows.ts")],
  },
  "supply-chain": {
    does: "lockfiles, versions and ranges of dependencies, install scripts, licences",
    run: [["tests/packages/check-supply-chain.ts"]],
  },
  tools: {
    does: "installs what the checks use besides the workspace: runtimes, compilers, bundlers",
    installs: "tests/tools",
  },
  browser: {
    does: "which browser the checks open; fetches one if necessary, and --installed fetches none",
    run: [["scripts/commands/browser.ts"]],
  },
};

if (import.meta.main) await runNamed("check", checks);
