// What a screen reader reads, in order: the accessibility tree of a screen as text. Read the file after a change, as a person
// would hear it: each region named, each button with what it does, nothing said twice. Renew it with `npx vitest run FILE -u`.
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

/** The tree of the page, without what differs from run to run: ports and real durations. */
async function readAloud({ page }: Inspector): Promise<string> {
  const tree = await page.locator("body").ariaSnapshot();
  return `${tree.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT").replace(/\b\d+(?:\.\d+)? ms\b/g, "… ms")}\n`;
}

/** Lets offers to the demo's app go to a port on which nothing listens, and nobody else may. */
async function closeApp({ server }: Inspector): Promise<void> {
  const url = `http://127.0.0.1:${await freePort()}/offers`;
  await server.changeRecord("destinations", demo.destinations.app, { config: { url } });
}

it("Events reads as recorded, with a refused call selected", async () => {
  await using inspector = await open({ server: frozen, screen: "events" });
  const { server, page } = inspector;
  const client = inspector.client({ maxRetries: 0 });
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.doNotCall };
  await closeApp(inspector);
  await client.roles.list();
  await server.trigger(demo.destinations.app);
  await client.calls.create(call).result();
  await page.getByRole("listbox").getByRole("option").filter({ hasText: "createCall" }).click();
  await inspector.settled();
  await expect(await readAloud(inspector)).toMatchFileSnapshot("events.tree.txt");
});

it("Calls reads as recorded, while a group rings", async () => {
  await using inspector = await open({ server: frozen, screen: "calls" });
  const { page, server } = inspector;
  await closeApp(inspector);
  await server.startTransfer({ groupId: demo.groups.existing });
  await page.getByRole("group", { name: /^Reception\. Rings/ }).waitFor();
  await inspector.settled();
  await expect(await readAloud(inspector)).toMatchFileSnapshot("calls.tree.txt");
});
