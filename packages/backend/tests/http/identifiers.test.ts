import { expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/contents/demo-seed.ts";
import { control, send } from "../test-client.ts";

const upper = (id: string) => id.toUpperCase();

it.each([
  ["a path", `GET /transfers/members/${upper(demo.members.member)}/availability`, {}],
  ["a query", `GET /calls?flowId=${upper(demo.flows.published)}`, {}],
  ["the account's header", "GET /calls", { headers: { "x-account-id": upper(demo.accountId) } }],
])("a UUID in upper case names the same record in %s", async (_, target, request) => {
  expect((await send(createBackend(), target, request)).status).toBe(200);
});

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
  expect(await control(backend, `GET /state/accounts/${id}`)).toMatchObject({ status: 200, body: { name: id } });
});
