// Moves time, makes requests fail, and gives two tests a platform each. In a clone:
//   npm run example -- examples/time-and-faults.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

/** A platform of its own, and a client of it. */
function open() {
  const backend = createBackend();
  const client = new CallTransfer({
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    fetch: backend.fetch,
  });
  return { backend, client };
}
const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};

// Time stands still until it is moved. Moving it runs everything that is due, in order, and then returns.
const { backend, client } = open();
const { status } = await client.members.getAvailability(demo.members.member);
console.log(backend.clock.iso(), status);
for (const { at, type } of await backend.advance({ by: 3_600_000 }))
  console.log(at, type);
console.log(
  backend.clock.iso(),
  (await client.members.getAvailability(demo.members.member)).status,
);

// A fault answers for the platform. The client repeats what is safe to repeat.
backend.faults.add("listRoles 503");
console.log(
  "after a refusal:",
  (await client.roles.list()).roles.length,
  "roles",
);
backend.faults.add("createCall process_then_reset");
const { error } = await client.calls.create(call).result();
console.log("after a lost answer:", error?.name);
console.log(
  "arrived:",
  backend.requests
    .list()
    .map((one) => `${one.operationId} ${one.status}`)
    .slice(-3)
    .join(", "),
);

// Another backend shares nothing with the first: neither calls nor faults nor time.
const other = open();
const [here, there] = await Promise.all([
  client.calls.list(),
  other.client.calls.list(),
]);
console.log(
  `calls here: ${here.meta.total}, calls there: ${there.meta.total}, time there: ${other.backend.clock.iso()}`,
);
