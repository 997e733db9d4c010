import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { nearMisses } from "../../src/http/closest-operations.ts";

const id = "c0000000-0000-4000-8000-000000000004";

it.each([
  ["a lost prefix", "GET /roles", "listRoles", "the path starts with api/v1"],
  [
    "a lost prefix and part of the path",
    `DELETE /members/${id}/hours`,
    "deleteMemberHours",
    "starts with api/v1/transfers",
  ],
  ["a lost version", "GET /api/calls", "listCalls", "v1 is missing"],
  ["another version", "GET /api/v2/accounts", "listAccounts", "v2 is v1"],
  ["a doubled prefix", "GET /api/v1/api/v1/calls", "listCalls", "there is no api/v1"],
  ["a singular", "GET /api/v1/role", "listRoles", "role is roles"],
  ["a plural", `GET /api/v1/transfers/members/${id}/availabilities`, "getMemberAvailability", "is availability"],
  ["a capital letter", "GET /api/v1/Calls", "listCalls", "Calls is calls"],
  ["a trailing slash", "GET /api/v1/accounts/", "listAccounts", "there is no slash at the end"],
  ["a doubled slash", "GET /api/v1//accounts", "listAccounts", "there is no empty segment"],
  ["a wrong method", `POST /api/v1/transfers/members/${id}/hours`, "deleteMemberHours", "the method is DELETE"],
  [
    "a typo",
    `POST /api/v1/transfers/destinatoins/${id}/rotate-secret`,
    "rotateDestinationSecret",
    "destinatoins is destinations",
  ],
  ["a shortened name", "POST /api/v1/transfers/groups", "createDestinationGroup", "groups is destination-groups"],
  ["a missing id", "GET /api/v1/transfers/members/availability", "getMemberAvailability", "{memberId} is missing"],
  ["an empty id", "GET /api/v1/transfers/members//availability", "getMemberAvailability", "{memberId} is empty"],
  [
    "a missing segment",
    `POST /api/v1/destinations/${id}/rotate-secret`,
    "rotateDestinationSecret",
    "transfers is missing",
  ],
  [
    "a path cut short",
    `POST /api/v1/transfers/destinations/${id}`,
    "rotateDestinationSecret",
    "the path ends too early",
  ],
  ["a sandbox behind the prefix", "GET /api/v1/_sandbox/mine/roles", "listRoles", "/_sandbox/mine comes before api/v1"],
  ["a sandbox at the end", "GET /api/v1/roles/_sandbox/mine", "listRoles", "/_sandbox/mine comes before api/v1"],
])("names the operation that %s was meant for: %s", (_, request, operationId, why) => {
  const [method = "", path = ""] = request.split(" ");
  const [nearest] = nearMisses(Object.values(operations), { method, path });
  expect(nearest).toMatchObject({ operationId, why: expect.stringContaining(why) });
});

it("takes a path without its prefix for a whole path, not for the end of an item's", () => {
  const item = { id: "getThing", method: "GET", path: "/api/v1/things/{id}" };
  const [nearest] = nearMisses([item, ...Object.values(operations)], { method: "GET", path: "/roles" });
  expect(nearest).toMatchObject({ operationId: "listRoles", why: "the path starts with api/v1" });
});

it("gives one reason for one mistake", () => {
  const [nearest] = nearMisses(Object.values(operations), { method: "GET", path: "/api/v1/api/v1/roles" });
  expect(nearest?.why).toBe("there is no api/v1");
});
