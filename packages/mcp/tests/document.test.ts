import { createBackend } from "@call-transfer/backend";
import {
  argumentName,
  type DocumentedOperation,
  inputSchemaOf,
  operationsIn,
  outputSchemaOf,
  partsOf,
} from "@call-transfer/backend/unstable";
import { describe, expect, it } from "vitest";

const anOperation: DocumentedOperation = {
  id: "example",
  method: "POST",
  path: "/things/{id}",
  summary: "Example",
  description: "Example.",
  parameters: [{ name: "id", in: "path", isRequired: true, schema: { type: "string" } }],
  body: undefined,
  results: [],
};
const objectWith = (properties: object, required: string[]) => ({ type: "object", properties, required });

describe("operations of a document", () => {
  const documentWith = (schema: object, schemas: object) => ({
    paths: {
      "/one": { get: { operationId: "one", responses: { 200: { content: { "application/json": { schema } } } } } },
    },
    components: { schemas },
  });

  it("replace references by what they lead to, with the keywords beside them", () => {
    const document = documentWith(
      { $ref: "#/components/schemas/Outer", description: "Mine." },
      {
        Outer: objectWith({ "x-field": { $ref: "#/components/schemas/Inner" } }, []),
        Inner: { type: "string", "x-a": 1 },
      },
    );
    expect(operationsIn(document).get("one")?.results).toEqual([
      { ...objectWith({ "x-field": { type: "string" } }, []), description: "Mine." },
    ]);
  });

  it("refuse a schema that contains itself, and a reference that leads nowhere", () => {
    const circle = objectWith({ next: { $ref: "#/components/schemas/Circle" } }, []);
    const first = documentWith({ $ref: "#/components/schemas/Circle" }, { Circle: circle });
    expect(() => operationsIn(first)).toThrow("#/components/schemas/Circle contains itself.");
    expect(() => operationsIn(documentWith({ $ref: "#/components/schemas/Gone" }, {}))).toThrow("has no #/");
  });

  it("of the control plane all have an input schema", async () => {
    const backend = createBackend({ controlPlane: true });
    const document = (await (await backend.fetch("http://localhost/_control/v1/openapi.json")).json()) as object;
    const operations = operationsIn({ ...document });
    expect(operations.size).toBeGreaterThan(40);
    for (const operation of operations.values()) expect(inputSchemaOf(operation).type).toBe("object");
  });
});

describe("an input schema", () => {
  it("puts path, header and body into one object", () => {
    const account = { name: "X-Account-Id", in: "header", isRequired: false, schema: { type: "string" } };
    const body = objectWith({ name: { type: "string" } }, ["name"]);
    const operation = { ...anOperation, parameters: [...anOperation.parameters, account], body };
    expect(inputSchemaOf(operation)).toEqual({
      type: "object",
      properties: { id: { type: "string" }, accountId: { type: "string" }, name: { type: "string" } },
      required: ["id", "name"],
      additionalProperties: false,
    });
    expect(partsOf(operation, { id: "1", accountId: "2", name: "3", other: "4" })).toEqual({
      path: { id: "1" },
      query: {},
      header: { accountId: "2" },
      body: { name: "3", other: "4" },
    });
    expect(argumentName(account)).toBe("accountId");
  });

  it("merges alternatives, and requires what all of them require", () => {
    const oneOf = [objectWith({ a: {}, b: {} }, ["a", "b"]), objectWith({ b: {}, c: {} }, ["b"])];
    expect(inputSchemaOf({ ...anOperation, parameters: [], body: { oneOf } })).toMatchObject({
      properties: { a: {}, b: {}, c: {} },
      required: ["b"],
    });
  });

  it("accepts no further argument where there is no body", () => {
    expect(inputSchemaOf(anOperation)).toMatchObject({ additionalProperties: false });
  });

  it("refuses two arguments of one name", () => {
    const body = objectWith({ id: { type: "string" } }, []);
    expect(() => inputSchemaOf({ ...anOperation, body })).toThrow("example has two arguments of the same name.");
  });
});

describe("an output schema", () => {
  it("describes, and rejects no value or field that is new", () => {
    const state = { type: "string", enum: ["on"], description: "State." };
    const results = [{ ...objectWith({ state, list: { type: "array", maxItems: 1, items: state } }, ["state"]) }];
    const described = { type: "string", description: "State." };
    expect(outputSchemaOf({ ...anOperation, results })).toEqual({
      type: "object",
      properties: { state: described, list: { type: "array", items: described } },
    });
    expect(outputSchemaOf(anOperation)).toBeUndefined();
  });
});
