// Calls every operation with the client of openapi-generator (typescript-fetch), which throws each response that is not 2xx.
import {
  AccountsApi,
  type ApiResponse,
  CallQueuedFromJSON,
  CallsApi,
  Configuration,
  DestinationGroupsApi,
  DestinationsApi,
  ErrorResponseFromJSON,
  MembersApi,
  ResponseError,
  RolesApi,
} from "./client/index.js";
import { apiKey, appId, baseUrl, call, dayGroup, lateGroup, memberId, page, show, showError } from "./world.ts";

const configuration = new Configuration({ basePath: baseUrl, accessToken: apiKey });
const accounts = new AccountsApi(configuration);
const calls = new CallsApi(configuration);
const groups = new DestinationGroupsApi(configuration);
const destinations = new DestinationsApi(configuration);
const members = new MembersApi(configuration);
const roles = new RolesApi(configuration);

/** The status of a response, and its body as a model. */
async function read<Model>(request: Promise<ApiResponse<Model>>) {
  const response = await request;
  return { status: response.raw.status, data: await response.value() };
}

/** Prints the error response of a request. */
async function refused(operation: string, request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => new Error(`${operation} was not refused as expected.`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ResponseError)) throw error;
  const { code, errors, meta } = ErrorResponseFromJSON(await error.response.json());
  // Open lists of values are types without members, which hold the text.
  const fields = errors?.map((one) => ({ field: one.field, code: String(one.code) }));
  showError(operation, error.response.status, { code: String(code), errors: fields, meta });
}

const listed = await read(accounts.listAccountsRaw());
show("listAccounts", listed.status, listed.data.accounts[0]?.id);
await refused("listAccounts", accounts.listAccounts());

for (let time = 0; time < 2; time += 1) {
  const { status, data } = await read(roles.listRolesRaw({}));
  show("listRoles", status, ...data.roles.map(({ role }) => String(role)));
}
for (let time = 0; time < 2; time += 1) {
  const { status, data } = await read(members.getMemberAvailabilityRaw({ memberId }));
  show("getMemberAvailability", status, String(data.status), String(data.source));
}

const day = { createDestinationGroupRequest: dayGroup };
const late = { createDestinationGroupRequest: lateGroup };
const created = await read(groups.createDestinationGroupRaw(day));
show("createDestinationGroup", created.status, String(created.data.strategy), created.data.totalTimeoutSecs);
await refused("createDestinationGroup", groups.createDestinationGroup(day));
await refused("createDestinationGroup", groups.createDestinationGroup(late));
const newer = await read(groups.createDestinationGroupRaw(late));
show("createDestinationGroup", newer.status, String(newer.data.strategy), newer.data.totalTimeoutSecs);

for (let time = 0; time < 2; time += 1) {
  const { status, data } = await read(destinations.rotateDestinationSecretRaw({ id: appId }));
  show("rotateDestinationSecret", status, String(data.kind));
}
show("deleteMemberHours", (await read(members.deleteMemberHoursRaw({ memberId }))).status);

for (let time = 0; time < 2; time += 1) {
  const response = await calls.createCallRaw({ createCallRequest: call });
  const { status } = response.raw;
  // The client's type is that of 201 for every status.
  const placed = status === 202 ? CallQueuedFromJSON(await response.raw.json()) : await response.value();
  show("createCall", status, placed.type, ...("position" in placed ? [Number(placed.position)] : []));
}
await refused("createCall", calls.createCall({ createCallRequest: call }));

const some = await read(calls.listCallsRaw({ limit: page.limit, startDate: new Date(page.startDate) }));
show("listCalls", some.status, some.data.calls.length, "of", some.data.meta.total);
