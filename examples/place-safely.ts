// Places calls, and says what is known of each. In a clone:
//   npm run example -- examples/place-safely.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import {
  ApiError,
  CallTransfer,
  OutcomeUnknownError,
} from "@call-transfer/sdk";

// The platform, in this process, with room for one call at a time. For the real
// one, leave out `fetch` and `clock`.
const backend = createBackend({ policies: { concurrentCallLimit: 1 } });
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
  clock: backend.clock,
});

/**
 * Places a call, and says what is known of it. It never dials twice: if in
 * doubt, it asks a person to look.
 */
async function place(toNumber: string): Promise<string> {
  const call = {
    flowId: demo.flows.published,
    fromNumber: demo.numbers.working,
    toNumber,
  };
  const { data, error } = await client.calls
    .create(call, { totalTimeoutMs: 20_000 })
    .result();
  if (data?.type === "initiated") return "the phone rings";
  if (data?.type === "queued") return `queued at position ${data.position}`;
  // A newer platform may accept a call in another way.
  if (data) return `accepted as ${data.type}`;
  if (error instanceof OutcomeUnknownError) {
    const { candidates, complete } = await error.reconcile();
    if (candidates.length > 0)
      return `perhaps placed, do not dial again: ${candidates.length} in the list`;
    return complete
      ? "probably not placed, but look again: none in the list"
      : "perhaps placed: look at the list";
  }
  // Every other error means that no call was placed.
  const reason = error instanceof ApiError ? error.code : error.message;
  return `not placed: ${reason}`;
}

const { anyone, doNotCall } = demo.recipients;
console.log(await place(anyone));
console.log(await place(anyone));
console.log(await place(doNotCall));

// Ten minutes later, these calls are over.
await backend.advance({ by: 600_000 });
backend.faults.add({ do: { status: 502 } });
console.log(`a proxy fails: ${await place(anyone)}`);
backend.faults.add({ do: "truncate" });
console.log(`the answer breaks off: ${await place(anyone)}`);
