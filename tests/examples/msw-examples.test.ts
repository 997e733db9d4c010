import { CallTransfer } from "@call-transfer/sdk";
import { beforeEach, describe, expect, it, vi } from "vitest";

// The handlers say that a fault needs a real connection; packages/backend/tests/msw.test.ts reads the text.
beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

/** Without a handler, MSW would let it out to the network, where it rings a phone. */
function refusesOthers(): void {
  it("refuses a placement to another address", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    const other = new CallTransfer({ baseUrl: "http://127.0.0.1:65530", apiKey: "svc_live_other", maxRetries: 0 });
    const call = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };
    expect((await other.calls.create(call).result()).ok).toBe(false);
    expect(said).toHaveBeenCalledWith("POST http://127.0.0.1:65530/api/v1/calls has no handler.");
  });
}

describe("the test in docs/mock-server-msw.md", async () => {
  await import("../../examples/msw/availability.test.ts");
  refusesOthers();
});

describe("the test that docs/frontends.md links to", async () => {
  await import("../../examples/msw/query.test.ts");
  refusesOthers();
});
