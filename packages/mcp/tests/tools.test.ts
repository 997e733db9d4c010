import { createBackend, demo } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { validInput } from "../../contract/src/suite/client.ts";
import { accounts, start, world } from "../../contract/src/world/world.ts";
import { responseSchemas } from "../../spec/src/response-schemas.gen.ts";
import { annotationsOf } from "../src/tools/annotations.ts";
import { connect, connectToMock, connectToPlatform } from "./connect.ts";

const ids = Object.keys(operations) as OperationId[];
const schemas: Partial<Record<OperationId, (typeof responseSchemas)[keyof typeof responseSchemas]>> = responseSchemas;

/** Arguments that an operation accepts in the world of the contract's examples. */
function acceptedBy(id: OperationId): object {
  const { path, query, body } = validInput(id);
  return { ...path, ...query, ...Object(body) };
}

/** A server whose tools act on that world. */
async function connectToWorld() {
  const backend = createBackend({ seed: world, now: start, controlPlane: true });
  const apiKey = backend.keys.issueApiKey({ accountId: accounts.home }).key;
  return { backend, ...(await connect({ backend, apiKey })) };
}

describe("the tools of the API", () => {
  it("are the operations of the table, each once, with the texts of the document", async () => {
    const { tools } = await connectToMock();
    const described = Object.values(document.paths).flatMap((item) => Object.values(item) as object[]);
    const texts = described.flatMap((operation) =>
      "operationId" in operation && "summary" in operation && "description" in operation
        ? [[operation.operationId, operation.summary, operation.description]]
        : [],
    );
    const listed = (await tools()).filter(({ name }) => name in operations);
    expect(listed.map(({ name, title, description }) => [name, title, description]).sort()).toEqual(texts.sort());
  });

  it.each(ids)("%s takes the path, the query and the body of its operation", async (id) => {
    const { tools } = await connectToMock();
    const { pathParameters, queryParameters, hasBody } = operations[id];
    const { properties = {}, required = [] } = (await tools()).find(({ name }) => name === id)?.inputSchema ?? {};
    const parameters = [...pathParameters, ...Object.keys(queryParameters)];
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(parameters));
    expect(required).toEqual(expect.arrayContaining([...pathParameters]));
    expect(Object.keys(properties).length > parameters.length + ("accountId" in properties ? 1 : 0)).toBe(hasBody);
    expect("accountId" in properties).toBe(operations[id].accountScoped);
  });

  it("show limits and contain no reference, which some clients do not follow", async () => {
    const { tools } = await connectToMock();
    const all = await tools();
    const createGroup = all.find(({ name }) => name === "createDestinationGroup");
    expect(createGroup?.inputSchema.properties).toMatchObject({
      name: { minLength: 1, maxLength: 100 },
      members: { maxItems: 10, items: { properties: { destinationId: { type: "string" } } } },
    });
    expect(JSON.stringify(all)).not.toMatch(/\$ref|"x-/);
  });

  it.each(ids)("%s returns what the API returns", async (id) => {
    const { call, backend } = await connectToWorld();
    const answer = await call(id, acceptedBy(id));
    expect(answer).toMatchObject({ isError: false });
    const [request] = backend.journal.list();
    expect(request).toMatchObject({ operationId: id, status: operations[id].successes[0]?.status });
    const schema = schemas[id];
    if (schema === undefined) return;
    expect(schema.safeParse(answer.data)).toMatchObject({ success: true });
    expect(JSON.parse(answer.text)).toEqual(answer.data);
  });

  it("send the account and the query", async () => {
    const { call } = await connectToMock();
    expect(await call("listCalls", { limit: 1 })).toMatchObject({ data: { calls: [{}], meta: { total: 3 } } });
    expect(await call("listRoles", { accountId: demo.foreignAccountId })).toMatchObject({ isError: true });
  });

  it.each(ids)("%s refuses a misspelt argument before anything is sent", async (id) => {
    const { call, backend } = await connectToWorld();
    const { isError, text } = await call(id, { ...acceptedBy(id), provider_id: "one" });
    expect(isError).toBe(true);
    expect(text).toContain("The tool has no argument provider_id.");
    expect(backend.journal.list()).toEqual([]);
  });
});

describe("annotations", () => {
  it("follow from the method and the retry class together", async () => {
    const { tools } = await connectToMock();
    const hints = (await tools()).flatMap(
      ({ name, annotations: { readOnlyHint, destructiveHint, idempotentHint } = {} }) =>
        name in operations ? [[name, { readOnlyHint, destructiveHint, idempotentHint }]] : [],
    );
    const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
    expect(Object.fromEntries(hints)).toMatchObject({
      rotateDestinationSecret: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      createDestinationGroup: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      deleteMemberHours: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      getMemberAvailability: reading,
      listRoles: reading,
      listCalls: reading,
      createCall: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      listAccounts: reading,
    });
  });

  it.each([
    ["GET", "once", { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    ["PUT", "safe", { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ] as const)("take nothing for harmless that one of both does not call so: %s, %s", (method, retry, hints) => {
    expect(annotationsOf({ summary: "", method, retry }, true)).toMatchObject(hints);
  });

  it("say whether a real platform is reached", async () => {
    const worlds = async ({ tools }: Pick<Awaited<ReturnType<typeof connectToMock>>, "tools">) =>
      new Set((await tools()).filter(({ name }) => name in operations).map((tool) => tool.annotations?.openWorldHint));
    expect(await worlds(await connectToMock())).toEqual(new Set([false]));
    expect(await worlds(await connectToPlatform())).toEqual(new Set([true]));
  });
});
