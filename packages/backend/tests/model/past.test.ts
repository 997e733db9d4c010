import { expect, it } from "vitest";
import { assembleBackend, type Backend, createBackend, defaultParts } from "../../src/backend.ts";
import { demo } from "../../src/contents/demo-seed.ts";
import { InputError } from "../../src/model/errors/input-error.ts";
import { codeOf, control, send } from "../test-client.ts";

const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
const place = (backend: Backend) => send(backend, "POST /calls", { body: call });

/** The snapshot of now, and the one that a request sent now found. */
async function foundNow(backend: Backend, target: string, body?: unknown): Promise<[object, () => object]> {
  const now = backend.snapshot();
  await send(backend, target, { ...(body !== undefined && { body }) });
  const id = backend.journal.latest?.id ?? 0;
  return [now, () => backend.snapshot({ before: id })];
}

/** Changes of every kind: records, timers, policies, time, transfers and rate-limit windows. */
async function change(backend: Backend): Promise<void> {
  await place(backend);
  backend.collections.delete("calls", demo.calls.failed);
  backend.collections.delete("calls", demo.calls.completed);
  backend.collections.update("numbers", demo.numbers.working, { active: false });
  backend.collections.create("users", { id: "b0000000-0000-4000-8000-0000000000ff", name: "New" });
  backend.transfers.start({ groupId: demo.groups.existing });
  backend.changePolicies({ rateLimit: { requests: 3, windowSecs: 9 }, callDurationSecs: 1 });
  await backend.clock.advance({ by: 90_000 });
  await send(backend, "GET /roles");
}

it.each<[string, string, unknown]>([
  ["a reading request", "GET /calls", undefined],
  ["a request that changes something", "POST /calls", call],
  ["a refused request", "POST /calls", { ...call, toNumber: "nobody" }],
  ["a request with a removed record", `POST /transfers/destinations/${demo.destinations.app}/rotate-secret`, undefined],
])("shows the backend as %s found it, whatever changed since", async (_, target, body) => {
  const backend = createBackend();
  await place(backend);
  const [now, found] = await foundNow(backend, target, body);
  await change(backend);
  // Ids of requests go on.
  const { random, ...then } = found() as { random: Record<string, number> };
  const { random: atFirst, ...first } = now as typeof then & { random: Record<string, number> };
  expect(then).toEqual(first);
  expect(random.main).toBe(atFirst.main);
});

it("shows a request after another one as the first left the backend, also if both came at once", async () => {
  const backend = createBackend();
  const group = { name: "Night desk", members: [{ destinationId: demo.destinations.phone }] };
  const [first, second] = await Promise.all([
    send(backend, "POST /transfers/destination-groups", { body: group }),
    send(backend, "POST /transfers/destination-groups", { body: group }),
  ]);
  expect([first.status, second.status]).toEqual([201, 409]);
  const named = (id: number) => JSON.stringify(backend.snapshot({ before: id }).seed).includes("Night desk");
  expect([named(1), named(2)]).toEqual([false, true]);
});

it.each<[string, (backend: Backend) => unknown]>([
  ["the journal was cleared", (backend) => backend.journal.clear()],
  ["the sandbox was reset", (backend) => backend.reset()],
  ["200 more requests came", (backend) => Promise.all(Array.from({ length: 200 }, () => send(backend, "GET /roles")))],
  [
    "4000 records changed",
    (backend) => {
      for (let count = 0; count < 4000; count += 1)
        backend.state.users.set(demo.users.owner, { id: demo.users.owner, name: String(count) });
    },
  ],
])("keeps nothing of what a request found after %s", async (_, happen) => {
  const backend = createBackend({ controlPlane: true });
  await send(backend, "GET /roles");
  await happen(backend);
  const { status, body } = await control(backend, "GET /snapshot?before=1");
  expect([status, body.error]).toMatchObject([400, { code: "invalid_input", field: "before" }]);
});

it("keeps the order of timers due at the same time, also of one that was cancelled between others", async () => {
  const backend = assembleBackend({}, defaultParts);
  for (const id of ["first", "second", "third"])
    backend.clock.schedule(backend.clock.now() + 1000, () => {}, { kind: "transfer.test", id });
  const [now, found] = await foundNow(backend, "GET /roles");
  backend.clock.cancel({ id: "second" });
  backend.clock.cancel({ id: "first" });
  expect(found()).toMatchObject({ timers: (now as { timers: object[] }).timers });
});

it("finds what a request found that had to wait for a fault after the wait", async () => {
  const backend = createBackend();
  backend.faults.add({ match: { operationId: "listRoles" }, do: { latency: 1000 } });
  const waiting = send(backend, "GET /roles");
  await backend.clock.advance({ by: 1000 });
  await waiting;
  expect(backend.snapshot({ before: 1 }).now).toBe(backend.clock.now());
  // The journal keeps the details of 200 requests.
  expect(() => backend.snapshot({ before: 201 })).toThrow(InputError);
});

it("counts in a copy what others sent while a fault held the request back", async () => {
  const backend = createBackend({ policies: { rateLimit: { requests: 1, windowSecs: 60 } } });
  backend.faults.add({ match: { operationId: "listRoles" }, do: { latency: 1000 } });
  const waiting = send(backend, "GET /roles");
  while (backend.clock.pending === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  await send(backend, "GET /calls");
  await backend.clock.advance({ by: 1000 });
  expect((await waiting).status).toBe(429);
  expect(await backend.rehearse(2)).toMatchObject([{ status: 429 }, { status: 429 }]);
});

it("repeats a refusal of the rate limit in copies, and leaves the backend as it is", async () => {
  const backend = createBackend({ policies: { rateLimit: { requests: 1, windowSecs: 60 } } });
  await send(backend, "GET /roles");
  expect(codeOf(await send(backend, "GET /roles"))).toBe("rate_limit_exceeded");
  const before = backend.snapshot();
  expect(await backend.rehearse(1)).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(await backend.rehearse(2)).toMatchObject([{ status: 429 }, { status: 429 }]);
  expect(backend.snapshot()).toEqual(before);
});
