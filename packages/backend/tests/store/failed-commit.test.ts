import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { ScenarioName } from "../../src/data/scenarios.ts";
import type { SandboxStore } from "../../src/model/store.ts";
import { codeOf, control, send } from "../test-client.ts";
import { manualWall, settled, storage } from "./storage.ts";

const group = { name: "Stored", members: [{ destinationId: demo.destinations.app }] };
const createGroup = (backend: Backend, name = group.name) =>
  send(backend, "POST /transfers/destination-groups", { body: { ...group, name } });
const full = new Error("the disk is full");

/** An app that never answers, and how often it got an offer. */
function silentApp() {
  let offers = 0;
  const fetch = (): Promise<Response> => {
    offers += 1;
    return new Promise(() => {});
  };
  return { fetch, sent: () => offers };
}

describe("a commit that fails", () => {
  it("answers 500 with the reason, and the request did not happen: the next one succeeds", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open() });
    fail(full);
    const refused = await createGroup(backend);
    expect([refused.status, codeOf(refused)]).toEqual([500, "internal_error"]);
    expect(JSON.stringify(refused.body)).toContain("the disk is full");
    expect([...backend.state.groups.values()].filter(({ name }) => name === group.name)).toEqual([]);
    fail(undefined);
    expect((await createGroup(backend)).status).toBe(201);
  });

  it("answers 500 in the control plane too", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open(), controlPlane: true });
    await backend.flush();
    fail(full);
    const { status, body } = await control(backend, "PATCH /policies", { concurrentCallLimit: 3 });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).toContain("the disk is full");
    expect(backend.policies.concurrentCallLimit).not.toBe(3);
  });

  it("leaves reads as they are", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open() });
    const before = await send(backend, "GET /roles");
    fail(full);
    expect((await createGroup(backend)).status).toBe(500);
    const after = await send(backend, "GET /roles");
    expect([after.status, after.body]).toEqual([200, before.body]);
  });

  it("takes back whatever had changed, also the order of the records", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open() });
    backend.transfers.start({ destinationId: demo.destinations.availableHumans });
    await backend.flush();
    const before = backend.snapshot();
    fail(full);
    const contact = { accountId: demo.accountId, number: demo.recipients.doNotCall };
    backend.collections.delete("contacts", `${contact.accountId}:${contact.number}`);
    backend.collections.create("contacts", contact);
    backend.transfers.start({ destinationId: demo.destinations.phone });
    backend.faults.add("createCall 503");
    backend.updatePolicies({ missedCallLimit: 7 });
    await settled();
    expect(backend.snapshot()).toEqual(before);
  });

  it("shows in `saved` afterwards too, until a commit succeeds", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open() });
    await backend.flush();
    fail(full);
    backend.transfers.start({ destinationId: demo.destinations.phone });
    await settled();
    await expect(backend.flush()).rejects.toThrow("the disk is full");
    fail(undefined);
    backend.transfers.start({ destinationId: demo.destinations.phone });
    await expect(backend.flush()).resolves.toBeUndefined();
  });

  it("sends no webhook", async () => {
    const { open, fail } = storage();
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return new Response();
    };
    const backend = createBackend({ store: open(), fetch });
    fail(full);
    backend.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    expect([sent, backend.transfers.list()]).toEqual([0, []]);
  });

  it("lets timers rest for a second, and does their work once the store works again", async () => {
    const { open, fail } = storage();
    const { wall, pass } = manualWall();
    const backend = createBackend({ store: open(), clockMode: "running", wall });
    const { id } = backend.transfers.start({ destinationId: demo.destinations.availableHumans });
    await settled();
    fail(full);
    let attempts = 0;
    backend.events.follow(({ type }) => {
      if (type === "sandbox.restored") attempts += 1;
    });
    await pass(60_000);
    await pass(900);
    expect([attempts, backend.transfers.get(id)?.status]).toEqual([1, "ringing"]);
    fail(undefined);
    await pass(100);
    await settled();
    expect(backend.transfers.get(id)?.status).toBe("unanswered");
    backend.close();
  });

  it("sends no webhook when the state cannot be loaded either", async () => {
    const { open, fail } = storage();
    const store = open();
    let sent = 0;
    let isLost = false;
    const load: SandboxStore["load"] = () => {
      if (isLost) throw full;
      return store.load();
    };
    const fetch = async () => {
      sent += 1;
      return new Response();
    };
    const backend = createBackend({ store: { ...store, load }, fetch });
    isLost = true;
    fail(full);
    backend.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    expect(sent).toBe(0);
  });

  it("sends an open offer again once, a second after the last of several failures", async () => {
    const { open, fail } = storage();
    const { wall, pass } = manualWall();
    const { fetch, sent } = silentApp();
    const backend = createBackend({ store: open(), wall, fetch });
    backend.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    fail(full);
    for (const missedCallLimit of [7, 8, 9]) {
      backend.updatePolicies({ missedCallLimit });
      await settled();
      await pass(600);
    }
    expect(sent()).toBe(1);
    fail(undefined);
    await pass(400);
    expect(sent()).toBe(2);
    await pass(5000);
    expect(sent()).toBe(2);
  });

  it("answers 500 to a request in flight if it is the last one, of a backend that closes", async () => {
    const { open, fail } = storage();
    const backend = createBackend({ store: open() });
    const groups = backend.state.groups.size;
    fail(full);
    const answer = createGroup(backend);
    while (backend.state.groups.size === groups) await Promise.resolve();
    backend.close();
    expect((await answer).status).toBe(500);
    await expect(backend.flush()).rejects.toThrow("the disk is full");
  });
});

it("a closed backend sends no webhook, because it cannot store its id", async () => {
  const { fetch, sent } = silentApp();
  const backend = createBackend({ store: storage().open(), fetch });
  backend.close();
  const delivery = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
  expect([delivery.accepted, sent()]).toEqual([false, 0]);
});

it("a closed backend answers 500 to changes, because it cannot store them", async () => {
  const { open, commits } = storage();
  const backend = createBackend({ store: open() });
  await send(backend, "GET /roles");
  backend.close();
  const before = commits.length;
  expect((await send(backend, "GET /roles")).status).toBe(200);
  const refused = await createGroup(backend);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([500, expect.stringContaining("is closed")]);
  expect(commits.length).toBe(before);
});

describe("a backend that could not be created leaves its store new", () => {
  it("because of a wrong option", async () => {
    const { open } = storage();
    const scenarios = ["unknown" as ScenarioName];
    expect(() => createBackend({ store: open(), scenarios })).toThrow("unknown");
    await settled();
    expect(createBackend({ store: open() }).resumed).toBe(false);
  });

  it("because of the first commit", async () => {
    const { open, fail } = storage();
    fail(full);
    expect(() => createBackend({ store: open() })).toThrow("the disk is full");
    fail(undefined);
    await settled();
    expect(createBackend({ store: open() }).resumed).toBe(false);
  });

  it("because of what is given as a store or as real time", () => {
    expect(() => createBackend({ store: null as never })).toThrow(
      "store: must have the functions load, commit and close",
    );
    expect(() => createBackend({ wall: {} as never })).toThrow("wall: must have the functions now and after");
  });
});
