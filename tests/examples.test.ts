import { readdirSync, readFileSync } from "node:fs";
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { operations } from "@call-transfer/spec";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGroup, placeCall } from "../examples/handle-errors.ts";
import { availabilityAfterAnHour } from "../examples/in-process.ts";
import { offersReceiver } from "../examples/receive-offers.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

function open() {
  const backend = createBackend();
  const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
  return { backend, client };
}

afterEach(() => vi.unstubAllGlobals());

describe("the pages' programs", () => {
  const pages = ["README.md", "docs/sdk.md", "docs/testing.md"].map(read).join("\n");
  const snippets = [...pages.matchAll(/<!-- (examples\/\S+) -->\n+```ts\n(.*?)```/gs)];

  it.each(readdirSync(new URL("../examples/", import.meta.url)).filter((name) => name.endsWith(".ts")))(
    "shows examples/%s as it is",
    (name) => {
      const shown = snippets.filter(([, path]) => path === `examples/${name}`).map(([, , text]) => text);
      expect(shown).toEqual([read(`examples/${name}`)]);
    },
  );

  it.each(["docs/sdk.md", "packages/sdk/README.md"])(
    "%s lists the SDK's method of every operation, and no other",
    (page) => {
      const listed = [...read(page).matchAll(/^\| .* \| `client\.(\w+\.\w+)\(/gm)].map(([, method]) => method);
      const methods = Object.values(operations).map(({ resource, sdkMethod }) => `${resource}.${sdkMethod}`);
      expect(listed.sort()).toEqual(methods.sort());
    },
  );

  it("place-a-call.ts places a call that ends within its minute", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/place-a-call.ts");
    expect(log.mock.calls).toEqual([[[expect.objectContaining({ type: "call.completed" })]]]);
  });

  it("quick-start.ts places a call and lists it among the others", async () => {
    vi.stubGlobal("fetch", open().backend.fetch);
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../examples/quick-start.ts");
    const [placed, ...listed] = log.mock.calls.flat();
    expect(placed).toMatch(/^call \S+ is being placed$/);
    expect(listed).toHaveLength(4);
  });

  it("handle-errors.ts tells a created group from an invalid and a taken one", async () => {
    const { client } = open();
    expect(await createGroup(client, "Front desk", [demo.destinations.phone])).toMatch(/^created /);
    expect(await createGroup(client, "Front desk", [demo.destinations.phone])).toBe("the name Front desk is taken");
    expect(await createGroup(client, "", [])).toBe("name: too_short, members: too_short");
  });

  it("handle-errors.ts says that a placement's outcome is unknown", async () => {
    const { backend, client } = open();
    backend.faults.add({ do: { status: 502 } });
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
    expect(await placeCall(client, call)).toMatch(/^perhaps placed/);
    expect(await placeCall(client, call)).toBe("initiated");
  });

  it("receive-offers.ts accepts a genuine webhook and refuses another", async () => {
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

  it("in-process.ts sees a member become available when their time is up", async () => {
    expect(await availabilityAfterAnHour()).toEqual(["away", "available"]);
  });
});
