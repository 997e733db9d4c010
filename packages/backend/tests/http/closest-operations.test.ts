import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { closestOperations } from "../../src/http/closest-operations.ts";

const id = "c0000000-0000-4000-8000-000000000004";

const mistakes: readonly [what: string, request: string, operationId: string][] = [
  ["a missing prefix", "GET /roles", "listRoles"],
  ["a missing prefix and part of the path", `DELETE /members/${id}/hours`, "deleteMemberHours"],
  ["a missing version", "GET /api/calls", "listCalls"],
  ["another version", "GET /api/v2/accounts", "listAccounts"],
  ["a doubled prefix", "GET /api/v1/api/v1/calls", "listCalls"],
  ["a singular", "GET /api/v1/role", "listRoles"],
  ["a plural", `GET /api/v1/transfers/members/${id}/availabilities`, "getMemberAvailability"],
  ["a capital letter", "GET /api/v1/Calls", "listCalls"],
  ["a trailing slash", "GET /api/v1/accounts/", "listAccounts"],
  ["a doubled slash", "GET /api/v1//accounts", "listAccounts"],
  ["a wrong method", `POST /api/v1/transfers/members/${id}/hours`, "deleteMemberHours"],
  ["a typo", `POST /api/v1/transfers/destinatoins/${id}/rotate-secret`, "rotateDestinationSecret"],
  [
    "three missing letters, another method",
    `DELETE /api/v1/transfers/members/${id}/avalblity`,
    "getMemberAvailability",
  ],
  ["a shortened name", "POST /api/v1/transfers/groups", "createDestinationGroup"],
  ["a part of a name", "GET /api/v1/acc", "listAccounts"],
  ["a name with more", "GET /api/v1/myaccounts", "listAccounts"],
  ["two wrong letters", "GET /api/v1/akkounts", "listAccounts"],
  ["a missing id", "GET /api/v1/transfers/members/availability", "getMemberAvailability"],
  ["an empty id", "GET /api/v1/transfers/members//availability", "getMemberAvailability"],
  ["a missing segment", `POST /api/v1/destinations/${id}/rotate-secret`, "rotateDestinationSecret"],
  ["a path cut short", `POST /api/v1/transfers/destinations/${id}`, "rotateDestinationSecret"],
  ["a sandbox behind the prefix", "GET /api/v1/_sandbox/mine/roles", "listRoles"],
];

// Only the operations named above, so that another one on a similar path changes nothing here.
const named = Object.values(operations).filter(({ id }) => mistakes.some(([, , expected]) => expected === id));
const closestTo = (request: string, known = named) => {
  const [method = "", path = ""] = request.split(" ");
  return closestOperations(known, { method, path }).map(({ operationId }) => operationId);
};

it.each(mistakes)("finds the operation for %s: %s", (_, request, operationId) => {
  expect(closestTo(request)[0]).toBe(operationId);
});

it("lists the three closest operations, closest first", () => {
  const known = [...named, operations.createCall];
  expect(closestTo("GET /api/v1/role", known)).toEqual(["listRoles", "listCalls", "listAccounts"]);
  expect(closestTo("GET /api/calls", known)).toEqual(["listCalls", "createCall", "listRoles"]);
});

it("compares no more than the first 31 segments of a path", () => {
  expect(closestTo(`GET /api/v1/roles${"/x".repeat(100_000)}`)[0]).toBe("listRoles");
});
