import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { closestOperations } from "../../src/http/closest-operations.ts";

const id = "c0000000-0000-4000-8000-000000000004";

const mistakes: readonly [what: string, request: string, operationId: string, fix: string][] = [
  ["a missing prefix", "GET /roles", "listRoles", "start the path with /api/v1"],
  [
    "a missing prefix and part of the path",
    `DELETE /members/${id}/hours`,
    "deleteMemberHours",
    "start the path with /api/v1/transfers",
  ],
  ["a missing version", "GET /api/calls", "listCalls", "add v1"],
  ["another version", "GET /api/v2/accounts", "listAccounts", "replace v2 with v1"],
  ["a doubled prefix", "GET /api/v1/api/v1/calls", "listCalls", "remove api/v1"],
  ["a singular", "GET /api/v1/role", "listRoles", "replace role with roles"],
  [
    "a plural",
    `GET /api/v1/transfers/members/${id}/availabilities`,
    "getMemberAvailability",
    "replace availabilities with availability",
  ],
  ["a capital letter", "GET /api/v1/Calls", "listCalls", "replace Calls with calls"],
  ["a trailing slash", "GET /api/v1/accounts/", "listAccounts", "remove the trailing slash"],
  ["a doubled slash", "GET /api/v1//accounts", "listAccounts", "remove the empty segment"],
  ["a wrong method", `POST /api/v1/transfers/members/${id}/hours`, "deleteMemberHours", "use the method DELETE"],
  [
    "a typo",
    `POST /api/v1/transfers/destinatoins/${id}/rotate-secret`,
    "rotateDestinationSecret",
    "replace destinatoins with destinations",
  ],
  [
    "three missing letters and another method",
    `DELETE /api/v1/transfers/members/${id}/avalblity`,
    "getMemberAvailability",
    "replace avalblity with availability, use the method GET",
  ],
  [
    "a shortened name",
    "POST /api/v1/transfers/groups",
    "createDestinationGroup",
    "replace groups with destination-groups",
  ],
  ["a missing id", "GET /api/v1/transfers/members/availability", "getMemberAvailability", "add {memberId}"],
  ["an empty id", "GET /api/v1/transfers/members//availability", "getMemberAvailability", "fill in {memberId}"],
  ["a missing segment", `POST /api/v1/destinations/${id}/rotate-secret`, "rotateDestinationSecret", "add transfers"],
  ["a path cut short", `POST /api/v1/transfers/destinations/${id}`, "rotateDestinationSecret", "add rotate-secret"],
  ["a sandbox behind the prefix", "GET /api/v1/_sandbox/mine/roles", "listRoles", "put /_sandbox/mine before /api/v1"],
  ["a sandbox at the end", "GET /api/v1/roles/_sandbox/mine", "listRoles", "put /_sandbox/mine before /api/v1"],
];

// Only the operations named above, so that another one on a similar path changes nothing here.
const named = Object.values(operations).filter(({ id }) => mistakes.some(([, , expected]) => expected === id));

it.each(mistakes)("finds the operation for %s: %s", (_, request, operationId, fix) => {
  const [method = "", path = ""] = request.split(" ");
  const [closest] = closestOperations(named, { method, path });
  expect(closest).toMatchObject({ operationId, fix });
});

it.each([
  [
    "GET /api/v1/role",
    ["listRoles", "replace role with roles"],
    ["listCalls", "replace role with calls"],
    ["listAccounts", "replace role with accounts"],
  ],
  [
    "GET /api/calls",
    ["listCalls", "add v1"],
    ["createCall", "add v1, use the method POST"],
    ["listRoles", "replace calls with v1, add roles"],
  ],
])("lists the three operations closest to %s, closest first", (request, ...expected) => {
  const [method = "", path = ""] = request.split(" ");
  const found = closestOperations([...named, operations.createCall], { method, path });
  expect(found.map(({ operationId, fix }) => [operationId, fix])).toEqual(expected);
});

it.each([
  ["acc", "listAccounts"],
  ["ac", "listRoles"],
  ["myaccounts", "listAccounts"],
  ["acounts", "listAccounts"],
  ["akkounts", "listAccounts"],
  ["akkounds", "listAccounts"],
  ["akkuonts", "listRoles"],
  ["accountsss", "listAccounts"],
  ["ROLES", "listRoles"],
])("takes /api/v1/%s for %s", (segment, operationId) => {
  const [closest] = closestOperations(named, { method: "GET", path: `/api/v1/${segment}` });
  expect(closest?.operationId).toBe(operationId);
});

it("moves a sandbox only from the beginning of what is too much", () => {
  const [closest] = closestOperations(named, { method: "GET", path: "/api/v1/foo/_sandbox/mine/roles" });
  expect(closest?.fix).toBe("remove foo/_sandbox/mine");
});

it("names the operation's own method and path", () => {
  const [closest] = closestOperations(named, { method: "PUT", path: "/api/v1/roles" });
  expect(closest).toEqual({
    operationId: "listRoles",
    method: "GET",
    path: "/api/v1/roles",
    fix: "use the method GET",
  });
});

it("compares the first 31 segments of a path", () => {
  const long = (segments: number) => `/api/v1/roles${"/x".repeat(segments - 3)}`;
  const fixOf = (path: string) => closestOperations(named, { method: "GET", path })[0]?.fix;
  expect(fixOf(long(31))).toBe(`remove ${"x/".repeat(28).slice(0, -1)}`);
  expect(fixOf(long(40))).toBe(fixOf(long(31)));
});

it("treats a path without its prefix as a whole path, not as the end of a longer one", () => {
  const item = { id: "getThing", method: "GET", path: "/api/v1/things/{id}" };
  const [closest] = closestOperations([item, ...Object.values(operations)], { method: "GET", path: "/roles" });
  expect(closest).toMatchObject({ operationId: "listRoles", fix: "start the path with /api/v1" });
});
