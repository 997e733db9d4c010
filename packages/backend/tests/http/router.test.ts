import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { callTransferOperations, createRouter } from "../../src/http/router.ts";

const route = (method: string, path: string) => ({
  method,
  path,
  pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
});
const [read, write, latest, dotted, one, both] = [
  route("GET", "/a/{id}"),
  route("PUT", "/a/{id}"),
  route("GET", "/a/latest"),
  route("GET", "/a.b"),
  route("GET", "/b/{first}/c/{second}"),
  route("GET", "/{kind}/{id}"),
] as const;
const match = (method: string, path: string) => createRouter([read, write, latest, dotted, one, both])(method, path);

describe("a path", () => {
  it("finds its operation by the method, with the values of its parameters", () => {
    expect(match("GET", "/a/7")).toEqual({ operation: read, params: { id: "7" } });
    expect(match("PUT", "/a/7")).toEqual({ operation: write, params: { id: "7" } });
    expect(match("GET", "/b/1/c/2")).toEqual({ operation: one, params: { first: "1", second: "2" } });
  });

  it("of literal segments comes before one with parameters, and fewer parameters before more", () => {
    expect(match("GET", "/a/latest")).toEqual({ operation: latest, params: {} });
    expect(match("GET", "/b/7")).toEqual({ operation: both, params: { kind: "b", id: "7" } });
  });

  it("answers HEAD by the operation of GET", () => {
    expect(match("HEAD", "/a/7")).toEqual({ operation: read, params: { id: "7" } });
    expect(createRouter([write])("HEAD", "/a/7")).toEqual({ allow: ["PUT"] });
  });

  it("under another method has the methods that it allows", () => {
    expect(match("DELETE", "/a/7")).toEqual({ allow: ["GET", "HEAD", "PUT"] });
  });

  it("has its signs literally", () => {
    expect(match("GET", "/a.b")).toEqual({ operation: dotted, params: {} });
    expect(match("GET", "/a-b")).toBeUndefined();
  });

  it("that is written like a template has values of its parameters", () => {
    expect(match("GET", "/a/{id}")).toEqual({ operation: read, params: { id: "{id}" } });
    expect(match("GET", "/b/{first}/c/{second}")).toMatchObject({ params: { first: "{first}", second: "{second}" } });
  });

  it("that is unknown has no match", () => {
    expect(match("GET", "/a")).toBeUndefined();
    expect(match("GET", "/a/7/b")).toBeUndefined();
  });
});

it("the table has every operation of the specification", () => {
  expect(callTransferOperations.operations).toEqual(Object.values(operations));
  expect(callTransferOperations.match("GET", "/api/v1/roles")).toMatchObject({ operation: { id: "listRoles" } });
});
