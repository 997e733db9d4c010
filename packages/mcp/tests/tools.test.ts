import { type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { annotationsOf } from "../src/tools/permissions.ts";
import { toolName } from "../src/tools/tool.ts";
import { connectToMock, connectToPlatform } from "./connect.ts";

const ids = Object.keys(operations) as OperationId[];
const names = new Set(ids.map(toolName));

const withoutLinks = (text: string): string => text.replaceAll(/\[(§[\d.]+|A-\d+)\]\([^)]+\)/g, "$1");

describe("the tools of the API", () => {
  it("are the operations of the table, each once, with the texts of the document", async () => {
    const { tools } = await connectToMock();
    const described = Object.values(document.paths).flatMap((item) => Object.values(item) as object[]);
    const texts = described.flatMap((operation) =>
      "operationId" in operation && "summary" in operation && "description" in operation
        ? [[toolName(String(operation.operationId)), operation.summary, withoutLinks(String(operation.description))]]
        : [],
    );
    const listed = (await tools()).filter(({ name }) => names.has(name));
    expect(listed.map(({ name, title, description }) => [name, title, description]).sort()).toEqual(texts.sort());
  });

  it.each(ids)("%s takes the path, the query and the body of its operation", async (id) => {
    const { tools } = await connectToMock();
    const { pathParameters, queryParameters, hasBody } = operations[id];
    const { properties = {}, required = [] } =
      (await tools()).find(({ name }) => name === toolName(id))?.inputSchema ?? {};
    const parameters = [...pathParameters, ...Object.keys(queryParameters)];
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(parameters));
    expect(required).toEqual(expect.arrayContaining([...pathParameters]));
    expect(Object.keys(properties).length > parameters.length + ("accountId" in properties ? 1 : 0)).toBe(hasBody);
    expect("accountId" in properties).toBe(operations[id].accountScoped);
  });

  it("show limits and contain no reference and no link, which some clients do not follow", async () => {
    const { tools } = await connectToMock();
    const all = await tools();
    const { name, members } = document.components.schemas.CreateDestinationGroupRequest.properties;
    const createGroup = all.find((tool) => tool.name === "create_destination_group");
    expect(createGroup?.inputSchema.properties).toMatchObject({
      name: { minLength: name.minLength, maxLength: name.maxLength },
      members: { maxItems: members.maxItems, items: { properties: { destinationId: { type: "string" } } } },
    });
    expect(JSON.stringify(all)).not.toMatch(/\$ref|"x-|https:/);
  });
});

describe("annotations", () => {
  it.each([
    ["GET", "non_idempotent", { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    ["PUT", "idempotent", { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ] as const)("take nothing for harmless that one of both does not call so: %s, %s", (method, idempotency, hints) => {
    expect(annotationsOf({ summary: "", method, idempotency }, true)).toMatchObject(hints);
  });

  it("say whether a real platform is reached", async () => {
    const worlds = async ({ tools }: Pick<Awaited<ReturnType<typeof connectToMock>>, "tools">) =>
      new Set((await tools()).filter(({ name }) => names.has(name)).map((tool) => tool.annotations?.openWorldHint));
    expect(await worlds(await connectToMock())).toEqual(new Set([false]));
    expect(await worlds(await connectToPlatform())).toEqual(new Set([true]));
  });
});
