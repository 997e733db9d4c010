// Calls every operation with the client of Kubb, which parses each request and each success with its zod schemas.
import { type Client, fetch, setConfig } from "./client/.kubb/fetch.ts";
import {
  createCall,
  createDestinationGroup,
  deleteMemberHours,
  type ErrorResponse,
  errorResponseSchema,
  getMemberAvailability,
  listAccounts,
  listCalls,
  listRoles,
  rotateDestinationSecret,
} from "./client/index.ts";
import { apiKey, appId, baseUrl, call, dayGroup, lateGroup, memberId, page, show, showError } from "./world.ts";

setConfig({ baseURL: baseUrl, headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" } });

class Refusal extends Error {
  readonly status: number;
  readonly response: ErrorResponse;

  constructor(status: number, response: ErrorResponse) {
    super(response.detail);
    this.status = status;
    this.response = response;
  }
}

/** Kubb's functions parse whatever is answered as a success, so this throws error responses before they can. */
const client: Client = async (config) => {
  const response = await fetch<never>(config);
  if (response.status >= 400) throw new Refusal(response.status, errorResponseSchema.parse(response.data));
  return response;
};

/** Prints the error response of a request. */
async function refused(operation: string, request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => new Error(`${operation} should have been refused.`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  showError(operation, error.status, error.response);
}

const options = { client };
const accounts = await listAccounts(options);
show("listAccounts", accounts.status, accounts.data.accounts[0]?.id);
await refused("listAccounts", listAccounts(options));

for (let time = 0; time < 2; time += 1) {
  const { data, status } = await listRoles({}, options);
  show("listRoles", status, ...data.roles.map(({ role }) => role));
}
for (let time = 0; time < 2; time += 1) {
  const { data, status } = await getMemberAvailability(memberId, {}, options);
  show("getMemberAvailability", status, data.status, data.source);
}

const group = await createDestinationGroup(dayGroup, {}, options);
show("createDestinationGroup", group.status, group.data.strategy, group.data.totalTimeoutSecs);
await refused("createDestinationGroup", createDestinationGroup(dayGroup, {}, options));
await refused("createDestinationGroup", createDestinationGroup(lateGroup, {}, options));
const late = await createDestinationGroup(lateGroup, {}, options);
show("createDestinationGroup", late.status, late.data.strategy, late.data.totalTimeoutSecs);

for (let time = 0; time < 2; time += 1) {
  const { data, status } = await rotateDestinationSecret(appId, {}, options);
  show("rotateDestinationSecret", status, data.kind);
}
const removed = await deleteMemberHours(memberId, {}, options);
show("deleteMemberHours", removed.status);

for (let time = 0; time < 2; time += 1) {
  const { data, status } = await createCall(call, {}, options);
  show("createCall", status, data.type, ...(data.type === "queued" ? [data.position] : []));
}
await refused("createCall", createCall(call, {}, options));

const calls = await listCalls(page, {}, options);
show("listCalls", calls.status, calls.data.calls.length, "of", calls.data.meta.total);
