// A client that openapi-fetch types from the API's document. In a clone:
//   npm run example -- examples/migrating/generated-before.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import type { paths } from "@call-transfer/spec";
import createClient from "openapi-fetch";

const { fetch } = createBackend();
const api = createClient<paths>({
  baseUrl: "http://localhost",
  headers: { authorization: `Bearer ${demo.apiKey}` },
  fetch: (request) => fetch(request),
});

const { data, error } = await api.GET("/api/v1/calls", {
  params: { query: { limit: 2 } },
});
console.log(
  data ? `${data.calls.length} of ${data.meta.total} calls` : error.code,
);
