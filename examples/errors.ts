// Makes the backend fail in seven ways, and prints what the error of each says.
// In a clone:
//   npm run example -- examples/errors.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import {
  CallTransfer,
  ConfigurationError,
  isApiError,
  OutcomeUnknownError,
  RateLimitError,
  RequestError,
} from "@call-transfer/sdk";

const backend = createBackend();
const options = {
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
};
const client = new CallTransfer({ ...options, maxRetries: 0 });
const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};

/** Says what a failed request is: first by its code, then by its class. */
function describe(error: unknown): string {
  if (isApiError(error, "validation_failed"))
    return error.errors.map(({ field, code }) => `${field} ${code}`).join(", ");
  if (error instanceof RateLimitError)
    return `${error.code}, wait ${error.meta?.retryAfterSecs} s`;
  if (isApiError(error))
    return `${error.status} ${error.code ?? `without a code: ${error.bodyText}`}`;
  if (error instanceof OutcomeUnknownError)
    return `look before you repeat it: ${error.cause}`;
  if (error instanceof RequestError) return error.message;
  if (error instanceof ConfigurationError)
    return `correct the option ${error.option}`;
  throw error;
}

async function show(
  what: string,
  request: () => PromiseLike<unknown>,
): Promise<void> {
  try {
    await request();
  } catch (error) {
    const outcome = error instanceof RequestError ? error.outcome : "not_sent";
    console.log(`${what}: ${outcome}\n  ${describe(error)}`);
  }
}

await show("an invalid group", () =>
  client.destinationGroups.create({ name: "", members: [] }),
);

backend.faults.add("createCall rateLimit 30s");
await show("a rate limit", () => client.calls.create(call));

backend.faults.add({ do: { status: 502, body: "Bad gateway" } });
await show("a proxy's answer", () => client.roles.list());

backend.faults.add("listRoles reset");
await show("a lost connection", () => client.roles.list());

backend.faults.add("listRoles hang");
await show("no answer", () => client.roles.list({ timeoutMs: 50 }));

backend.faults.add("createCall process_then_reset");
await show("a lost answer to a placed call", () => client.calls.create(call));

await show("a missing option", () =>
  client.withOptions({ baseUrl: "" }).roles.list(),
);

// This client retries. The server asks for a longer wait than the client
// accepts.
backend.faults.add("listRoles rateLimit 90s");
const { error } = await new CallTransfer(options).roles.list().result();
if (!(error instanceof RequestError)) throw error;
console.log(`not retried: ${error.retrySkippedReason}`);
console.log(
  `attempts: ${error.attempts.length}, for support: ${error.requestId}`,
);
