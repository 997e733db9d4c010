// What the examples for MSW promise under both majors: a placement that no handler answers does not leave the process.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CallTransfer } from "@call-transfer/sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const majors = {
  "MSW 2": { msw: () => import("msw-2"), node: () => import("msw-2/node") },
  "MSW 3": { msw: () => import("msw"), node: () => import("msw/node") },
};
const examples = ["availability", "query"];
const table = Object.entries(majors).flatMap(([major, load]) => examples.map((name) => ({ major, name, load })));

describe.for(table)("the set-up of the example $name under $major", ({ name, load }) => {
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
      retry: { max: 0 },
    });
    const place = () =>
      other.calls.create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" }).result();
    const hooks: { before: (() => unknown)[]; after: (() => unknown)[] } = { before: [], after: [] };
    const [msw, node] = await Promise.all([load.msw(), load.node()]);
    vi.doMock("msw", () => msw);
    vi.doMock("msw/node", () => node);
    // The example's own hooks, run around one placement. Its tests run in msw-examples.test.ts.
    vi.doMock("vitest", async (original) => ({
      ...(await original<typeof import("vitest")>()),
      beforeAll: (hook: () => unknown) => hooks.before.push(hook),
      afterAll: (hook: () => unknown) => hooks.after.push(hook),
      afterEach: () => {},
      it: () => {},
    }));
    vi.spyOn(console, "error").mockImplementation(() => {});
    await import(`../../examples/msw/${name}.test.ts`);
    for (const hook of hooks.before) await hook();
    const { error } = await place();
    for (const hook of hooks.after) await hook();
    vi.doUnmock("vitest");
    vi.resetModules();
    expect(received).toBe(0);
    expect(error?.message).toContain("Failed to fetch");

    // The same placement leaves once the example has ended.
    await place();
    expect(received).toBe(1);
  });
});
