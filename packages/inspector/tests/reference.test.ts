import { readFileSync } from "node:fs";
import { createSandboxRegistry, demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import contract from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { type Operation, readReference } from "../src/screens/reference/document.ts";
import { buildRequest } from "../src/screens/reference/request.ts";
import { alternativesOf, fieldsOf, limitsOf, sampleOf, typeName } from "../src/screens/reference/schema.ts";
import { suggestionsFor, withSuggestions } from "../src/screens/reference/suggestions.ts";

const sandboxes = createSandboxRegistry();
const control: unknown = await (await sandboxes.fetch("http://mock.test/_control/v1/openapi.json")).json();
const api: unknown = JSON.parse(readFileSync(new URL("../../spec/openapi.json", import.meta.url), "utf8"));
const reference = readReference({ api, control });
const records = Object.fromEntries(
  Object.entries(demoSeed).map(([name, list]) => [name, list as readonly Record<string, unknown>[]]),
);

function find(id: string): Operation {
  const operation = reference.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  return operation;
}

const resolveOf = (operation: Operation) => (schema: Parameters<typeof fieldsOf>[0]) =>
  reference.resolve(operation, schema);

describe("the documents", () => {
  it("have every operation, each in a group", () => {
    expect(reference.tags.filter((tag) => tag.api === "control").map(({ name }) => name)).toContain("clock");
    for (const [name, document] of [["api", api] as const, ["control", control] as const]) {
      const paths = Object.values(Object(document).paths as Record<string, Record<string, { operationId?: string }>>);
      const ids = paths.flatMap((item) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
      const shown = reference.operations.filter((one) => one.api === name);
      expect(shown.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    }
  });

  it("give an operation its parameters, also those of its path", () => {
    expect(find("getMemberAvailability").parameters.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
      "header X-Account-Id",
      "path memberId",
    ]);
  });

  it("give an error its codes", () => {
    expect(find("createCall").responses.find(({ status }) => status === "401")?.examples).toContain("token_expired");
  });
});

describe("a schema", () => {
  it("has a readable type, limits and required fields", () => {
    const operation = find("createDestinationGroup");
    const resolve = resolveOf(operation);
    const fields = fieldsOf(operation.body?.schema ?? {}, resolve);
    const lines = fields.map(
      ({ name, schema, required }) =>
        `${name} ${typeName(schema, resolve)} ${limitsOf(schema, resolve).join("; ")}${required ? " required" : ""}`,
    );
    const { minLength, maxLength } = contract.components.schemas.CreateDestinationGroupRequest.properties.name;
    expect(lines).toContain(`name string ${minLength} to ${maxLength} characters required`);
    expect(lines).toContain("members array of object 1 to 10 items required");
  });

  it("has alternatives", () => {
    const operation = find("advanceClock");
    expect(alternativesOf(operation.body?.schema ?? {}, resolveOf(operation))).toHaveLength(3);
  });

  it("has a sample that the control plane accepts the shape of", () => {
    const operation = find("advanceClock");
    expect(sampleOf(operation.body?.schema ?? {}, resolveOf(operation))).toEqual({ by: 0 });
  });
});

describe("values of the sandbox", () => {
  it("come with names, records that work first, and none of another account", () => {
    const [first, ...others] = suggestionsFor(find("rotateDestinationSecret"), "id", records);
    expect(first).toEqual({ value: demo.destinations.app, label: "Front desk app, app" });
    expect(others.map(({ value }) => value)).not.toContain(demo.destinations.foreign);
    expect(suggestionsFor(find("getMemberAvailability"), "memberId", records)[0]).toEqual({
      value: demo.members.owner,
      label: "Olivia Owner, owner",
    });
  });

  it("make the examples of the API succeed as they are", async () => {
    const token = await sandboxes.default.credentials.createAccessToken({ userId: demo.users.owner });
    for (const operation of reference.operations.filter((one) => one.api === "api")) {
      const values = Object.fromEntries(
        operation.parameters.map(({ name, in: place }) => [
          name,
          place === "path" ? (suggestionsFor(operation, name, records)[0]?.value ?? "") : "",
        ]),
      );
      const body = operation.body && JSON.stringify(withSuggestions(operation, operation.body.example, records));
      const request = buildRequest("http://mock.test", operation, values, body);
      request.headers.set("Authorization", `Bearer ${token}`);
      request.headers.set("X-Account-Id", demo.accountId);
      const response = await sandboxes.fetch(request);
      expect([operation.id, response.ok, await response.text()]).toEqual([operation.id, true, expect.any(String)]);
    }
  });
});

describe("a request", () => {
  it("names a parameter of the path that is empty", () => {
    expect(() => buildRequest("http://mock.test", find("getMemberAvailability"), {}, undefined)).toThrow(
      "The parameter memberId is empty. The path needs it.",
    );
  });

  it("keeps a value of the path in its segment, and leaves empty values of the query out", () => {
    const { url } = buildRequest(
      "http://mock.test/base",
      find("updateRecord"),
      { collection: "calls", id: "../a b" },
      undefined,
    );
    expect(url).toBe("http://mock.test/base/_control/v1/records/calls/..%2Fa%20b");
    expect(buildRequest("http://mock.test", find("listRequests"), { status: "", after: "3" }, undefined).url).toBe(
      "http://mock.test/_control/v1/requests?after=3",
    );
  });
});
