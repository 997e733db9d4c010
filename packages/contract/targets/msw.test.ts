import { createBackend, demo } from "@call-transfer/backend";
import { callTransferHandlers, type MswHttp } from "@call-transfer/backend/msw";
import { CallTransfer } from "@call-transfer/sdk";
import { http } from "msw";
import { setupServer } from "msw/node";
import { http as http2 } from "msw-2";
import { setupServer as setupServer2 } from "msw-2/node";
import { beforeEach, describe, expect, it, vi } from "vitest";

const baseUrl = "https://api.example.com";
let backend = createBackend();
beforeEach(() => {
  backend = createBackend();
});

/** Handlers of an MSW version for the test's backend. */
const handlers = <Handler>(given: MswHttp<Handler>) => callTransferHandlers({ http: given, backend, baseUrl });

describe.each([
  ["msw", () => setupServer(...handlers(http))],
  ["msw-2", () => setupServer2(...handlers(http2))],
])("a client under %s", (_name, setUp) => {
  it("works if it was created before the mock started", async () => {
    const client = new CallTransfer({ baseUrl, apiKey: demo.apiKey });
    const server = setUp();
    server.listen();
    const { accounts } = await client.accounts.list().finally(() => server.close());
    expect(accounts.map(({ id }) => id)).toEqual([demo.accountId]);
  });

  it("retries a read after a connection reset", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const client = new CallTransfer({ baseUrl, apiKey: demo.apiKey, random: () => 0, logLevel: "off" });
    const server = setUp();
    server.listen();
    backend.faults.add({ do: "reset" });
    const { roles } = await client.roles.list().finally(() => server.close());
    expect([roles.length > 0, backend.requests.list().map(({ status }) => status)]).toEqual([true, [0, 200]]);
    expect(warn).toHaveBeenCalledOnce();
  });
});
