// A queue delivers jobs more than once. Each call is dialled at most once. In a
// clone:
//   npm run example -- examples/place-once.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import {
  CallTransfer,
  type CreateCallRequest,
  RequestError,
} from "@call-transfer/sdk";

const backend = createBackend();
const callsBefore = backend.state.calls.size;
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
});

/**
 * What is known of each job. Yours is a table with the job's id as its key:
 * insert first, and read the row if it exists.
 */
const jobs = new Map<string, "started" | "done">();

/**
 * Handles a delivery of a job. If it throws, the queue delivers the job again.
 */
async function handle(id: string, call: CreateCallRequest): Promise<string> {
  const known = jobs.get(id);
  if (known === "done") return "was placed before";
  if (known === "started") return "may have been placed before: a person looks";
  // Before dialling: if this process stops now, the next delivery finds the job
  // started.
  jobs.set(id, "started");
  try {
    const { type } = await client.calls.create(call, {
      totalTimeoutMs: 20_000,
    });
    jobs.set(id, "done");
    return type;
  } catch (error) {
    if (error instanceof RequestError) {
      const { outcome } = error;
      if (outcome !== "not_sent" && outcome !== "rejected")
        return "may have been placed: a person looks";
      // No call was placed, so the next delivery may try again. Any other
      // error proves nothing.
      jobs.delete(id);
    }
    throw error;
  }
}

const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
const deliver = (id: string) =>
  handle(id, call).then(
    (result) => console.log(`${id}: ${result}`),
    (error) => console.log(`${id}: later: ${error.retrySkippedReason}`),
  );

await deliver("job 1");
await deliver("job 1");
backend.faults.add({ do: { rateLimit: { retryAfterSecs: 120 } } });
await deliver("job 2");
await deliver("job 2");
backend.faults.add({ do: "process_then_reset" });
await deliver("job 3");
await deliver("job 3");
console.log(`${backend.state.calls.size - callsBefore} calls for 3 jobs`);
