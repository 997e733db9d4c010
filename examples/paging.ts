// Reads a list in every way, also while calls come in. In a clone:
//   npm run example -- examples/paging.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, flows, numbers, recipients } = demo;
const { fetch } = createBackend();
const client = new CallTransfer({ baseUrl: "http://localhost", apiKey, fetch });
const place = () =>
  client.calls.create({
    flowId: flows.published,
    fromNumber: numbers.working,
    toNumber: recipients.anyone,
  });
for (let count = 0; count < 4; count += 1) await place();

// The first page.
const { calls, meta } = await client.calls.list({ limit: 3 });
console.log(`${calls.length} of ${meta.total} calls`);

// Every call of every page. Each page is requested when it is needed.
let seconds = 0;
for await (const call of client.calls.list({ limit: 3 }))
  seconds += call.duration;
console.log(`${seconds} s in all`);

// An array, with a bound.
const completed = await client.calls
  .list({ status: "completed" })
  .toArray({ maxItems: 1000 });
console.log(`completed: ${completed.length}`);

// The pages as they come, while a call comes in at the front and moves the
// others.
const ids: string[] = [];
for await (const page of client.calls.list({ limit: 3 }).pages()) {
  ids.push(...page.calls.map((call) => call.id));
  console.log(`a page of ${page.calls.length}, ${page.meta.total} in all`);
  if (ids.length === 3) await place();
}
console.log(`${ids.length} items, ${new Set(ids).size} calls`);
