import { globSync, readdirSync, readFileSync } from "node:fs";
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGroup, placeCall } from "../examples/handle-errors.ts";
import { availabilityAfterAnHour } from "../examples/in-process.ts";
import { offersReceiver } from "../examples/receive-offers.ts";
import { countCalls } from "../examples/tracing.ts";
import { history, placeFor } from "../examples/unnamed-fields.ts";

const root = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`);

function open() {
  const backend = createBackend();
  const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
  return { backend, client };
}

/** The first output that a page shows. */
const firstOutputIn = (page: string) => /```text\n(.*?)```/s.exec(read(page))?.[1]?.trim();

afterEach(() => vi.unstubAllGlobals());

/** Run by scripts/demo.ts, what Next.js wants of every app, and a test of types. */
const notShown = [
  "examples/every-operation.mjs",
  "examples/recipes/nextjs/app/layout.tsx",
  "examples/recipes/nextjs/next.config.ts",
  "examples/recipes/receive/lambda-types.ts",
];

const pages = ["README.md", ...filesIn("docs").filter((path) => path.endsWith(".md"))];
const shown = pages.flatMap((page) =>
  [...read(page).matchAll(/<!-- (\S+\.(?:mjs|tsx?)) -->\n+```\w+\n(.*?)```/gs)].map(([, path = "", text = ""]) => ({
    page,
    path,
    text,
  })),
);

describe("the store of json-file-store.test.ts", async () => {
  await import("../examples/json-file-store.test.ts");
});

describe("the programs in the documentation", () => {
  it.each(shown)("$page contains $path unchanged", ({ path, text }) => {
    expect(text).toBe(read(path));
  });

  it("include each example once", () => {
    const examples = globSync("examples/**/*.{mjs,ts,tsx}", {
      cwd: root,
      exclude: (path) => /(?:^|\/)(?:node_modules|\.next|next-env\.d\.ts)$/.test(path),
    });
    const listed = examples.filter((path) => !notShown.includes(path));
    expect(shown.map(({ path }) => path).sort()).toEqual([...listed, "tests/resilience/streaming-fetch.ts"].sort());
  });

  it("place-a-call.ts places a call that ends within a minute", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/place-a-call.ts");
    expect(log.mock.calls).toEqual([[[expect.objectContaining({ type: "call.completed" })]]]);
  });

  it("quick-start.ts places a call and lists four", async () => {
    vi.stubGlobal("fetch", open().backend.fetch);
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/quick-start.ts");
    const [placed, ...listed] = log.mock.calls.flat();
    expect(placed).toMatch(/^call \S+ is being placed$/);
    expect(listed).toHaveLength(4);
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

  it("receive-offers.ts accepts a genuine webhook and refuses a forged one", async () => {
    vi.spyOn(console, "log").mockReturnValue();
    vi.spyOn(console, "error").mockReturnValue();
    const receiver = offersReceiver(["two", "one"]);
    const body = JSON.stringify({ type: "transfer.offer", destinationId: demo.destinations.app });
    const signed = async (secret: string) => {
      const headers = { "Service-Signature": await signWebhook(body, { secret }) };
      return new Request("http://localhost/offers", { method: "POST", headers, body });
    };
    expect((await receiver(await signed("one"))).status).toBe(204);
    expect((await receiver(await signed("three"))).status).toBe(400);
  });

  it("webhook-faults.ts decides on each genuine offer once", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/webhook-faults.ts");
    const [first, second, ...deliveries] = log.mock.calls;
    expect([first, second]).toEqual(Array(2).fill([expect.stringMatching(/^deciding on offer [-0-9a-f]{36}$/)]));
    expect(first).not.toEqual(second);
    expect(deliveries.map(([, status]) => status)).toEqual([204, 204, 204, 400, 204]);
  });

  it("tracing.ts puts the spans of the client under its own", async () => {
    const exporter = new InMemorySpanExporter();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager());
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    try {
      const { backend } = open();
      const options = { baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch };
      expect(await countCalls(options)).toBe(3);
    } finally {
      context.disable();
      trace.disable();
    }
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(["GET /api/v1/calls", "listCalls", "count calls"]);
    expect(spans[1]?.parentSpanContext?.spanId).toBe(spans[2]?.spanContext().spanId);
  });

  it("in-process.ts sees a member become available after an hour", async () => {
    expect(await availabilityAfterAnHour()).toEqual(["away", "available"]);
  });

  it("query.ts reads calls, places one, reads them again and then page by page", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/query.ts");
    expect(log.mock.calls.flat()).toEqual([
      "calls: 3",
      "placed: initiated",
      "calls in the cache: 3",
      "calls: 4",
      "pages: 2, calls: 4",
    ]);
  });

  it("errors.ts prints what docs/errors.md shows", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/errors.ts");
    expect(log.mock.calls.flat().join("\n")).toBe(firstOutputIn("docs/errors.md"));
  });

  it("lost-answer.mjs places one call and prints what docs/placing-calls.md shows", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    // The computed name avoids a type error, since the program has no types.
    await import(new URL("examples/lost-answer.mjs", root).href);
    expect(log.mock.calls.flat().join("\n")).toBe(firstOutputIn("docs/placing-calls.md"));
    expect(log).toHaveBeenLastCalledWith("calls placed: 1");
  });
});
