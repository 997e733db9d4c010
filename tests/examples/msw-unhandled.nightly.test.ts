// What the examples for MSW promise under both majors: a placement that no handler answers does not leave the process.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CallTransfer } from "@call-transfer/sdk";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureInstalled, tools } from "../../scripts/packed.ts";

const packages = { "MSW 2": "msw-2", "MSW 3": "msw" };
const examples = ["availability", "query"];
const table = Object.entries(packages).flatMap(([major, msw]) => examples.map((name) => ({ major, name, msw })));

// Below tests/tools, where an example finds MSW 2 and, further up, the packages of the workspace.
ensureInstalled(tools);
const cache = join(tools, ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "msw-unhandled-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Hooks {
  readonly before: readonly (() => unknown)[];
  readonly after: readonly (() => unknown)[];
}

/** What an example does around its tests, which msw-examples.test.ts runs. */
const ownHooks = `
export const hooks = { before: [], after: [] };
const beforeAll = (hook) => hooks.before.push(hook);
const afterAll = (hook) => hooks.after.push(hook);
const [afterEach, it, expect] = [() => {}, () => {}, undefined];
`;

/** Loads an example with one of the packages of MSW. Mocks of modules would not do: Vitest finds none in a path like `/ä/`. */
async function hooksOf(name: string, msw: string): Promise<Hooks> {
  const example = new URL(`../../examples/msw/${name}.test.ts`, import.meta.url);
  const { code } = transformSync(readFileSync(example, "utf8"), { loader: "ts", format: "esm", charset: "utf8" });
  const changed = code
    .replaceAll(/(?<=from ")msw(?=[/"])/g, msw)
    .replace(/^import \{[^}]*\} from "vitest";$/m, ownHooks);
  const file = join(folder, `${name}-${msw}.mjs`);
  writeFileSync(file, changed);
  const { hooks }: { readonly hooks: Hooks } = await import(pathToFileURL(file).href);
  return hooks;
}

describe.for(table)("the set-up of the example $name under $major", ({ name, msw }) => {
  let received = 0;
  const foreign = createServer((_request, response) => {
    received += 1;
    response.writeHead(201).end("{}");
  }).listen(0, "127.0.0.1");
  beforeAll(async () => {
    if (!foreign.listening) await once(foreign, "listening");
  });
  afterAll(() => foreign.close());

  it("refuses a placement to another origin", async () => {
    const { port } = foreign.address() as AddressInfo;
    const other = new CallTransfer({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: "svc_live_other",
      maxRetries: 0,
    });
    const place = () =>
      other.calls.create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" }).result();
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    const hooks = await hooksOf(name, msw);
    for (const hook of hooks.before) await hook();
    const { error } = await place();
    for (const hook of hooks.after) await hook();
    expect(received).toBe(0);
    expect(error).toBeDefined();
    expect(said).toHaveBeenCalledWith(`POST http://127.0.0.1:${port}/api/v1/calls has no handler.`);

    // The same placement leaves once the example has ended.
    await place();
    expect(received).toBe(1);
  });
});
