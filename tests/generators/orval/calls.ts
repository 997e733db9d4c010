// Calls every operation with the client of Orval, and parses each response with Orval's zod schema of its status.
import {
  createCall,
  createDestinationGroup,
  deleteMemberHours,
  getMemberAvailability,
  listAccounts,
  listCalls,
  listRoles,
  rotateDestinationSecret,
} from "./client/client.ts";
import * as schemas from "./client/schemas.ts";
import { apiKey, appId, call, dayGroup, lateGroup, memberId, page, show, showError } from "./world.ts";

const options = { headers: { Authorization: `Bearer ${apiKey}` } };

/** Throws for a status that was not expected. */
function unexpected(operation: string, status: number): never {
  throw new Error(`${operation} answered ${status}.`);
}

for (let time = 0; time < 2; time += 1) {
  const { status, data } = await listAccounts(options);
  if (status === 200) show("listAccounts", status, schemas.ListAccounts200Response.parse(data).accounts[0]?.id);
  else showError("listAccounts", status, schemas.ListAccountsDefaultResponse.parse(data));
}
for (let time = 0; time < 2; time += 1) {
  const { status, data } = await listRoles(options);
  if (status !== 200) unexpected("listRoles", status);
  show("listRoles", status, ...schemas.ListRoles200Response.parse(data).roles.map(({ role }) => role));
}
for (let time = 0; time < 2; time += 1) {
  const { status, data } = await getMemberAvailability(memberId, options);
  if (status !== 200) unexpected("getMemberAvailability", status);
  const availability = schemas.GetMemberAvailability200Response.parse(data);
  show("getMemberAvailability", status, availability.status, availability.source);
}

for (const body of [dayGroup, dayGroup, lateGroup, lateGroup]) {
  const { status, data } = await createDestinationGroup(body, options);
  if (status === 201) {
    const { strategy, totalTimeoutSecs } = schemas.CreateDestinationGroup201Response.parse(data);
    show("createDestinationGroup", status, strategy, totalTimeoutSecs);
  } else if (status === 400)
    showError("createDestinationGroup", status, schemas.CreateDestinationGroup400Response.parse(data));
  else showError("createDestinationGroup", status, schemas.CreateDestinationGroup409Response.parse(data));
}

for (let time = 0; time < 2; time += 1) {
  const { status, data } = await rotateDestinationSecret(appId, options);
  if (status !== 200) unexpected("rotateDestinationSecret", status);
  show("rotateDestinationSecret", status, schemas.RotateDestinationSecret200Response.parse(data).kind);
}
const removed = await deleteMemberHours(memberId, options);
show("deleteMemberHours", removed.status);

for (let time = 0; time < 3; time += 1) {
  const { status, data } = await createCall(call, options);
  if (status === 201) show("createCall", status, schemas.CreateCall201Response.parse(data).type);
  else if (status === 202) {
    const { type, position } = schemas.CreateCall202Response.parse(data);
    show("createCall", status, type, position);
  } else showError("createCall", status, schemas.CreateCall429Response.parse(data));
}

const { status, data } = await listCalls(page, options);
if (status !== 200) unexpected("listCalls", status);
const { calls, meta } = schemas.ListCalls200Response.parse(data);
show("listCalls", status, calls.length, "of", meta.total);
