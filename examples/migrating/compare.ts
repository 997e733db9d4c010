// Both clients place a call whose answer is lost, and read a list that changes
// meanwhile. In a clone:
//   npm run example -- examples/migrating/compare.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import * as after from "./after.ts";
import * as before from "./before.ts";

const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
const inbound = {
  accountId: demo.accountId,
  direction: "inbound",
  duration: 9,
  status: "completed",
};

for (const [name, { createClient }] of Object.entries({ before, after })) {
  const backend = createBackend();
  let onRequest = () => {};
  const client = createClient("http://localhost", demo.apiKey, (url, init) => {
    onRequest();
    return backend.fetch(url, init);
  });

  const callsBefore = backend.state.calls.size;
  backend.faults.add({ do: "process_then_reset" });
  const result = await client.placeCall(call).catch((error: Error) => error);
  const dialled = backend.state.calls.size - callsBefore;
  console.log(
    `${name}: ${dialled} call(s) placed, ${result instanceof Error ? result.name : result.type}`,
  );

  // After the first page, a call comes in at the front.
  let requests = 0;
  onRequest = () => {
    requests += 1;
    if (requests !== 2) return;
    backend.collections.create("calls", {
      ...inbound,
      id: crypto.randomUUID(),
      createdAt: "+0s",
    });
  };
  const ids = await client.callIds();
  console.log(
    `${name}: the list has ${ids.length} items of ${new Set(ids).size} calls`,
  );
}
