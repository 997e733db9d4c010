import { globSync } from "node:fs";
import { format } from "node:util";
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { context, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGroup, placeCall } from "../../examples/handle-errors.ts";
import { availabilityAfterAnHour } from "../../examples/in-process.ts";
import { history, placeFor } from "../../examples/unnamed-fields.ts";
// The tests of the page on tests run here. Their fixtures must be extended outside of a describe.
import "../../examples/vitest/calls.test.ts";
import { blocksIn, pages, proveBlocks, read, root } from "../pages/blocks.ts";
import { expectOutput } from "../pages/output.ts";

function open() {
  const backend = createBackend();
  const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
  return { backend, client };
}

afterEach(() => {
  vi.unstubAllGlobals();
  context.disable();
  trace.disable();
});

/** Run by scripts/demo.ts, written by a command of a page, a test of types, and one of the playground. */
const notShown = [
  "examples/every-operation.mjs",
  "examples/other-operations/platform.ts",
  "examples/recipes/receive/lambda-types.ts",
  "examples/webhook-faults.ts",
];

/** tests/pages/code-blocks.test.ts compares them with their blocks; a test of the Python client does the same for the others. */
const shown = pages
  .flatMap((page) => blocksIn(page, read(page)).flatMap(({ marks }) => marks.from ?? []))
  .filter((path) => !path.startsWith("examples/python/") && !path.endsWith(".yaml"));

/** The programs that pages link to instead of showing them. */
const linked = pages
  .flatMap((page) => [...read(page).matchAll(/\]\((?:\.\.\/)*(examples\/[\w./-]+)\)/g)].map(([, path = ""]) => path))
  .filter((path) => /\.(?:mjs|tsx?)$/.test(path));

/** Of these, the programs that need nothing but the backend. Tests have their own runs. */
const running = [...new Set(linked)].filter(
  (path) => !path.includes(".test.") && read(path).includes("createBackend("),
);

/** The programs whose output a page shows below them. */
const printing = pages.flatMap((page) =>
  proveBlocks(page, read(page)).proved.flatMap(({ text, proof }) =>
    proof.kind === "output" && proof.of.marks.from !== undefined ? [{ page, path: proof.of.marks.from, text }] : [],
  ),
);

describe("the store of json-file-store.test.ts", async () => {
  await import("../../examples/json-file-store.test.ts");
});

describe("the programs in the documentation", () => {
  it("include each example once, or link to it", () => {
    const examples = globSync("examples/**/*.{mjs,ts,tsx}", {
      cwd: root,
      exclude: (path) => /(?:^|\/)(?:node_modules|\.next|next-env\.d\.ts)$/.test(path),
    });
    const listed = examples.filter((path) => !notShown.includes(path));
    expect(shown.filter((path, at) => shown.indexOf(path) !== at)).toEqual([]);
    const reached = new Set([...shown, ...linked]);
    expect([...reached].sort()).toEqual([...listed, "lab/resilience/streaming-fetch.ts"].sort());
  });

  it("handle-errors.ts distinguishes a created group, an invalid one and a taken name", async () => {
    const { client } = open();
    expect(await createGroup(client, "Front desk", [demo.destinations.phone])).toMatch(/^created /);
    expect(await createGroup(client, "Front desk", [demo.destinations.phone])).toBe("the name Front desk is taken");
    expect(await createGroup(client, "", [])).toBe("name: too_short, members: too_short");
  });

  it("handle-errors.ts reports the unknown outcome of a placement", async () => {
    const { backend, client } = open();
    backend.faults.add({ do: { status: 502 } });
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
    expect(await placeCall(client, call)).toMatch(/^perhaps placed/);
    expect(await placeCall(client, call)).toBe("initiated");
  });

  it("unnamed-fields.ts sends and reads fields that the SDK does not name", async () => {
    const { backend, client } = open();
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
    await placeFor(client, "spring", call);
    expect(JSON.stringify(backend.snapshot())).toContain('"campaignId":"spring"');
    const [newest] = await history(client);
    expect(newest).toEqual(["in_progress", expect.stringMatching(/^\d{4}-/)]);
  });

  it("replace-key.ts replaces the key of the client that it hands out", async () => {
    const { backend } = open();
    vi.stubGlobal("fetch", backend.fetch);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", "http://localhost");
    vi.stubEnv("CALL_TRANSFER_API_KEY", backend.credentials.createApiKey({ state: "revoked" }).key);
    const { callTransfer, replaceKey } = await import("../../examples/replace-key.ts");
    await expect(callTransfer().roles.list()).rejects.toMatchObject({ code: "api_key_revoked" });
    replaceKey(demo.apiKey);
    expect((await callTransfer().roles.list()).roles).toHaveLength(4);
  });

  it("webhook-faults.ts decides on each genuine offer once", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../../examples/webhook-faults.ts");
    const [first, second, ...deliveries] = log.mock.calls;
    expect([first, second]).toEqual(Array(2).fill([expect.stringMatching(/^deciding on offer [-0-9a-f]{36}$/)]));
    expect(first).not.toEqual(second);
    expect(deliveries.map(([, status]) => status)).toEqual([204, 204, 204, 400, 204]);
  });

  it("in-process.ts sees a member become available after an hour", async () => {
    expect(await availabilityAfterAnHour()).toEqual(["away", "available"]);
  });

  it.each(running)("%s, which a page links to, runs to its end", async (path) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    // Another test may have run it already: with a query it is another module.
    await import(`${new URL(path, root).href}?again`);
    expect(log).toHaveBeenCalled();
  });

  it.each(printing)("$path prints what $page shows", async ({ page, path, text }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import(new URL(path, root).href);
    expectOutput(page, log.mock.calls.map((values) => format(...values)).join("\n"), text);
  });
});
