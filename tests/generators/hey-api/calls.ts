// Calls every operation with the client of @hey-api/openapi-ts, which checks requests and responses with its zod schemas.
import { client } from "./client/client.gen.js";
import {
  createCall,
  createDestinationGroup,
  deleteMemberHours,
  type ErrorResponse,
  getMemberAvailability,
  listAccounts,
  listCalls,
  listRoles,
  rotateDestinationSecret,
} from "./client/index.js";
import { zErrorResponse } from "./client/zod.gen.js";
import { apiKey, appId, baseUrl, call, dayGroup, lateGroup, memberId, page, show, showError } from "./world.ts";

client.setConfig({ baseUrl, auth: apiKey });
const failsBySchema = { throwOnError: true } as const;

/** Prints the error response of a request. */
function refused(operation: string, result: { error?: ErrorResponse; response?: Response }): void {
  showError(operation, result.response?.status ?? 0, zErrorResponse.parse(result.error));
}

const accounts = await listAccounts(failsBySchema);
show("listAccounts", accounts.response.status, accounts.data.accounts[0]?.id);
refused("listAccounts", await listAccounts());

for (let time = 0; time < 2; time += 1) {
  const { data, response } = await listRoles(failsBySchema);
  show("listRoles", response.status, ...data.roles.map(({ role }) => role));
}
for (let time = 0; time < 2; time += 1) {
  const { data, response } = await getMemberAvailability({ path: { memberId }, ...failsBySchema });
  show("getMemberAvailability", response.status, data.status, data.source);
}

const group = await createDestinationGroup({ body: dayGroup, ...failsBySchema });
show("createDestinationGroup", group.response.status, group.data.strategy, group.data.totalTimeoutSecs);
refused("createDestinationGroup", await createDestinationGroup({ body: dayGroup }));
refused("createDestinationGroup", await createDestinationGroup({ body: lateGroup }));
const late = await createDestinationGroup({ body: lateGroup, ...failsBySchema });
show("createDestinationGroup", late.response.status, late.data.strategy, late.data.totalTimeoutSecs);

for (let time = 0; time < 2; time += 1) {
  const { data, response } = await rotateDestinationSecret({ path: { id: appId }, ...failsBySchema });
  show("rotateDestinationSecret", response.status, data.kind);
}
const removed = await deleteMemberHours({ path: { memberId }, ...failsBySchema });
show("deleteMemberHours", removed.response.status);

for (let time = 0; time < 2; time += 1) {
  const { data, response } = await createCall({ body: call, ...failsBySchema });
  show("createCall", response.status, data.type, ...(data.type === "queued" ? [data.position] : []));
}
refused("createCall", await createCall({ body: call }));

const calls = await listCalls({ query: page, ...failsBySchema });
show("listCalls", calls.response.status, calls.data.calls.length, "of", calls.data.meta.total);
