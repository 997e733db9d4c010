// The same requests through the SDK: first with the paths, then with its
// methods. In a clone:
//   npm run example -- examples/migrating/generated-after.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { createRawClient } from "@call-transfer/sdk/raw";

const { fetch } = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch,
});

// First, only the client changes. The requests stay as they are, and get the
// SDK's timeouts and retries.
const api = createRawClient(client);
const { data, error } = await api.GET("/api/v1/calls", {
  params: { query: { limit: 2 } },
});
console.log(
  data ? `${data.calls.length} of ${data.meta.total} calls` : error.code,
);

// Then, one by one, the requests become methods.
const { calls, meta } = await client.calls.list({ limit: 2 });
console.log(`${calls.length} of ${meta.total} calls`);
