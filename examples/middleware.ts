// Adds a header to each request, and prints each attempt. In a clone:
//   npm run example -- examples/middleware.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, type Middleware } from "@call-transfer/sdk";

const withTeam: Middleware = async (
  request,
  next,
  { operationId, attemptNumber },
) => {
  request.headers.set("x-team", "front desk");
  const response = await next();
  console.log(`${operationId}, attempt ${attemptNumber}: ${response.status}`);
  return response;
};

const backend = createBackend({ faults: [{ do: { status: 503 } }] });
const options = {
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
};
const client = new CallTransfer({ ...options, middleware: [withTeam] });

const { roles } = await client.roles.list();
console.log(roles.map(({ role }) => role).join(", "));
