// Takes the pictures of the inspector's page, docs/images/inspector-*.png, in both themes: half an hour of a dental practice whose
// program is under test, on a frozen clock. `npm run example -- scripts/pictures.ts`, after a change of how it looks.
import { demo } from "@call-transfer/backend";
import { createControlClient } from "@call-transfer/backend/control-client";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { CallTransfer } from "@call-transfer/sdk";
import { launchBrowser } from "../build/browser.ts";
import { buildInspector } from "./build-inspector.ts";

/** A screen is drawn once nothing has changed for so long, in milliseconds. */
const calmMs = 700;

/** A server with a past, and the selections in it. */
interface Scene {
  readonly server: MockServer;
  /** The transfer that rings. */
  readonly transferId: string;
  /** A call that was refused, by the id of its request. */
  readonly refusedRequest: string;
  end(): Promise<void>;
}

const { destinations, members, numbers, recipients, flows } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

/** Plays the scene. */
async function playScene(): Promise<Scene> {
  // How long the front desk app thinks before it accepts an offer, on the sandbox's clock.
  let thinksSecs = 0;
  let isVerifying = true;
  const server = await startMockServer({
    port: 0,
    clockMode: "frozen",
    now: "2026-03-02T14:20:00Z",
    async fetch() {
      if (thinksSecs > 0) await server.backend.clock.sleep(thinksSecs * 1000);
      return isVerifying
        ? new Response(null, { status: 200 })
        : Response.json({ error: "invalid_signature", message: "No signature matches the secret." }, { status: 401 });
    },
    policies: { deliveryTimeoutSecs: 60 },
  });
  const { backend } = server;
  const client = new CallTransfer({ baseUrl: server.url, apiKey: demo.apiKey });
  const control = createControlClient({ url: server.url });
  const pass = (seconds: number) => backend.advance({ by: seconds * 1000 });
  const setMember = (id: string, availability: Readonly<Record<string, unknown>>) =>
    control.PATCH("/_control/v1/records/{collection}/{id}", {
      params: { path: { collection: "members", id } },
      body: { availability },
    });

  await client.accounts.list();
  await client.roles.list();
  await setMember(members.admin, { status: "available" });
  await setMember(members.agent, { status: "available" });
  await pass(31);
  const group = await client.destinationGroups.create({
    name: "Emergency line",
    strategy: "simultaneous",
    members: [
      { destinationId: destinations.phone, ringTimeoutSecs: 20 },
      { destinationId: destinations.availableHumans, ringTimeoutSecs: 30 },
      { destinationId: destinations.app, ringTimeoutSecs: 45 },
    ],
  });
  // A group of that name is there already.
  await client.destinationGroups.create({ name: "Emergency line", members: group.members }).result();
  await pass(48);
  await control.POST("/_control/v1/transfers", { body: { groupId: demo.groups.existing } });
  await pass(64);
  await client.destinations.rotateSecret(destinations.app);
  await pass(12);
  isVerifying = false;
  await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId: destinations.app } });
  isVerifying = true;
  await client.calls.create(call);
  await control.POST("/_control/v1/faults", { body: { text: "listCalls 503, 503, pass" } });
  await client.calls.list();
  await client.members.getAvailability(members.agent);
  await client.members.getAvailability(members.foreign).result();
  await control.POST("/_control/v1/faults", { body: { text: "createCall queue_full 10%" } });
  await pass(35);
  await client.calls.create({ ...call, toNumber: recipients.doNotCall }).result();
  thinksSecs = 26;
  const script = [
    { destinationId: destinations.phone, declineAfterSecs: 4 },
    { memberId: members.admin, declineAfterSecs: 7 },
  ];
  const started = await control.POST("/_control/v1/transfers", { body: { groupId: group.id, script } });
  await pass(9);
  const entries = backend.requests.list();
  const refusedCall = entries.findLast(({ operationId, status }) => operationId === "createCall" && status >= 400);
  return {
    server,
    transferId: started.data?.id ?? "",
    refusedRequest: String(refusedCall?.id),
    end: () => server.close(),
  };
}

await buildInspector();
const browser = await launchBrowser();
const scene = await playScene();
const screens = { events: scene.refusedRequest, calls: scene.transferId };
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 1280, height: 720 };
    const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
    page.on("pageerror", (error) => {
      throw error;
    });
    for (const [screen, selected] of Object.entries(screens)) {
      await page.goto(`${scene.server.url}/_inspector/#/default/${screen}/${selected}`);
      await page.waitForTimeout(calmMs);
      await page.screenshot({ path: `docs/images/inspector-${screen}-${colorScheme}.png` });
    }
  }
} finally {
  await browser.close();
  await scene.end();
}
