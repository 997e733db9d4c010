import { errorCodes, fieldErrorCodes, limits, operations, webhookSignature } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { contract as published } from "../src/document/document.ts";
import { codes, fieldCodes } from "../src/facts/codes.ts";
import * as facts from "../src/facts/limits.ts";
import { operations as operationFacts } from "../src/facts/operations.ts";
import { type ContractDocument, contradictions } from "../targets/contradictions.ts";

const contract = published as ContractDocument;

/** The contract with another value at a place. */
function withValue(path: readonly string[], value: unknown): ContractDocument {
  const document = structuredClone(contract);
  const parent = path.slice(0, -1).reduce<object>((node, step) => Reflect.get(node, step), document);
  Reflect.set(parent, path.at(-1) ?? "", value);
  return document;
}

interface Operation {
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}
const operationAt = (path: string): Operation => contract.paths[path]?.get as Operation;
const listRoles = operationAt("/api/v1/roles");
const nextParameter = String(operationAt("/api/v1/calls").parameters.length);
const parameter = { name: "sort", in: "query", schema: { type: "string" } };
const role = { type: "string", enum: ["agent", "member", "admin", "owner", "viewer"] };

/** Additions: the place, what to put there with or without a mark, and how a sentence names it. */
const additions: Readonly<Record<string, readonly [string, (mark: object) => object, string]>> = {
  "an operation": [
    "paths /api/v1/reports",
    (mark) => ({ get: { ...listRoles, ...mark } }),
    "the operation GET /api/v1/reports",
  ],
  "a field": [
    "components schemas DestinationGroup properties color",
    (mark) => ({ type: "string", ...mark }),
    "DestinationGroup.color",
  ],
  "an error code": [
    "x-error-table new_code",
    (mark) => ({ group: "Calls", status: 400, meaning: "New.", ...mark }),
    "the error code new_code",
  ],
  "a field code": ["x-field-error-table new_code", (mark) => ({ meaning: "New.", ...mark }), "the field code new_code"],
  "an event": ["webhooks call.ended", (mark) => ({ post: {}, ...mark }), "the event call.ended"],
  "a value": ["components schemas Role", (mark) => ({ ...role, ...mark }), "RoleDefinition.role with the value viewer"],
  "a parameter": [
    `paths /api/v1/calls get parameters ${nextParameter}`,
    (mark) => ({ ...parameter, ...mark }),
    "the query parameter sort of listCalls",
  ],
};

describe("the contract and the specification", () => {
  it("agree", () => {
    expect(contradictions(contract)).toEqual([]);
  });

  it("differ by a caller of an operation of the specification, also with a mark", () => {
    const path = ["paths", "/api/v1/transfers/destination-groups", "post"];
    const operation = contract.paths[path[1] ?? ""]?.post as object;
    const more = { "x-roles": ["owner", "admin", "member"], "x-beyond-specification": true };
    expect(contradictions(withValue(path, { ...operation, ...more })).join()).toContain(
      `createDestinationGroup has x-roles ["admin","member","owner"]`,
    );
  });

  it("differ by a status of an operation of the specification, also with a mark", () => {
    const path = ["paths", "/api/v1/roles", "get", "responses", "404"];
    const response = { ...listRoles.responses["403"], "x-beyond-specification": true };
    expect(contradictions(withValue(path, response)).join()).toContain("there is the response 404 of listRoles");
  });

  it("have 140 error codes and 33 field codes", () => {
    expect([Object.keys(codes).length, fieldCodes.length]).toEqual([140, 33]);
  });

  it("agree in the generated tables too", () => {
    const statuses = Object.entries(errorCodes).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).toMatchObject(
      Object.fromEntries(Object.entries(codes).map(([code, { status }]) => [code, status])),
    );
    expect(fieldErrorCodes).toEqual(expect.arrayContaining([...fieldCodes]));
    expect(limits).toMatchObject(facts.limits);
    expect(webhookSignature).toMatchObject({ header: facts.headers.signature, event: facts.webhook.event });
    const callers = Object.values(operations).map(({ method, path, roles, accountScoped }) => [
      `${method} ${path}`,
      { who: roles.toSorted(), accountScoped },
    ]);
    const stated = Object.entries(operationFacts).map(([name, { who, accountScoped }]) => [
      name,
      { who: who.toSorted(), accountScoped },
    ]);
    expect(Object.fromEntries(callers)).toMatchObject(Object.fromEntries(stated));
  });

  it.each(Object.entries(additions))("differ by %s only with a mark", (_, [place, valueWith, name]) => {
    const path = place.split(" ");
    expect(contradictions(withValue(path, valueWith({}))).join()).toContain(
      `${name} is not in the specification. Remove it, or mark it`,
    );
    expect(contradictions(withValue(path, valueWith({ "x-beyond-specification": true })))).toEqual([]);
  });
});
