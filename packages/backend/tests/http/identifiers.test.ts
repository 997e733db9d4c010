import { expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { control, send } from "../test-client.ts";

const upper = (id: string) => id.toUpperCase();

it("a UUID in upper case names the same record in a body and in its parts, and is kept in lower case", async () => {
  const backend = createBackend();
  const call = {
    flowId: upper(demo.flows.published),
    fromNumber: demo.numbers.working,
    toNumber: demo.recipients.anyone,
  };
  const placed = await send(backend, "POST /calls", { body: call });
  expect(placed).toMatchObject({ status: 201, body: { type: "initiated" } });
  const group = { name: upper(demo.groups.existing), members: [{ destinationId: upper(demo.destinations.app) }] };
  const created = await send(backend, "POST /transfers/destination-groups", { body: group });
  expect(created).toMatchObject({
    status: 201,
    // A name is no id, whatever it looks like.
    body: { name: group.name, members: [{ destinationId: demo.destinations.app }] },
  });
});

it("a UUID in upper case names the same record in a seed and in the control plane", async () => {
  const id = "A0000000-0000-4000-8000-00000000000A";
  const seed = { accounts: [{ id, name: id }], apiKeys: [{ key: `svc_live_${"x".repeat(28)}`, accountId: id }] };
  const backend = createBackend({ seed: seed as never, controlPlane: true });
  expect([...backend.state.accounts.values()]).toMatchObject([{ id: id.toLowerCase(), name: id }]);
  expect(await control(backend, `PATCH /records/accounts/${id}`, {})).toMatchObject({ body: { name: id } });
  expect((await control(backend, `GET /records/accounts?id=${id}`)).body.records).toMatchObject([{ name: id }]);
});

it.each([
  ["a path", { match: { method: "GET", path: `/api/v1/transfers/members/${upper(demo.members.owner)}/availability` } }],
  ["a part of a path", { match: { path: `*${upper(demo.members.owner)}*` } }],
  ["a header", { match: { headers: { "x-account-id": upper(demo.accountId) } } }],
  ["a query", { match: { query: { flowId: upper(demo.flows.published) } } }],
])("a UUID in upper case is the same in the criteria of a fault: %s", async (_, fault) => {
  const backend = createBackend();
  backend.faults.add({ ...fault, do: { code: "forbidden" } } as never);
  const path = `/transfers/members/${demo.members.owner}/availability?flowId=${demo.flows.published}`;
  const { status } = await send(backend, `GET ${path}`, { headers: { "x-account-id": demo.accountId } });
  expect(status).toBe(403);
});

it("a UUID in upper case is the same in the criteria of a body and of a delivery", async () => {
  const backend = createBackend();
  backend.faults.add({ match: { body: { flowId: upper(demo.flows.published) } }, do: { code: "forbidden" } });
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  expect((await send(backend, "POST /calls", { body: call })).status).toBe(403);
  backend.faults.add(`webhooks destination ${upper(demo.destinations.app)} truncate always`);
  backend.transfers.start({ destinationId: demo.destinations.app });
  await backend.clock.advance({ by: 1000 });
  expect(backend.faults.list()).toMatchObject([{ hits: 1 }]);
});

it.each(["in process", "over HTTP"])(
  "a snapshot in upper case %s has the same records, and its stubs as they are",
  async (way) => {
    const first = createBackend();
    const { id } = first.transfers.start({ destinationId: demo.destinations.app });
    const body = { id: "D1000000-0000-4000-8000-00000000000A" };
    first.stubs.add({ method: "GET", path: "/api/v1/things", response: { body } });
    const text = JSON.stringify(first.snapshot());
    const snapshot = JSON.parse(
      [id, demo.destinations.app].reduce((all, one) => all.replaceAll(one, upper(one)), text),
    );
    const backend = createBackend({ controlPlane: true });
    if (way === "in process") backend.restore(snapshot);
    else expect((await control(backend, "PUT /snapshot", snapshot)).status).toBe(204);
    const { status } = backend.transfers.get(id) ?? {};
    expect((await send(backend, "GET /things")).body).toEqual(body);
    // Its timers find the transfer.
    await backend.clock.advance({ by: 3_600_000 });
    expect([status, backend.transfers.get(id)?.status]).not.toEqual([status, status]);
  },
);
