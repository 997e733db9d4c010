// Operations that the SDK does not have: typed by a document of the customer's, retried by their method, paged, with its errors.
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { defaultMaxRetries } from "../src/generated/constants.gen.ts";
import { ApiError, type CallTransfer, InvalidArgumentError, NotFoundError, OutcomeUnknownError } from "../src/index.ts";
import type { ClientOptions, Middleware } from "../src/options/options.ts";
import { createRawClient, type RawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

/** Operations without a document. */
interface AnyPaths {
  "/api/v1/contacts": {
    get: {
      parameters: { query?: Record<string, unknown> };
      responses: { 200: { content: { "application/json": unknown } } };
    };
    post: {
      requestBody: { content: { "application/json": unknown } };
      responses: { 200: { content: { "application/json": unknown } } };
    };
  };
}

interface Contact {
  id: string;
  name: string;
}
interface ContactList {
  contacts: Contact[];
  meta: { total: number };
}
interface Problem {
  code: string;
}
interface Conflict {
  existingId: string;
}
type Answer<Body> = { content: { "application/vnd.contacts+json": Body } };
type ById = { path: { contactId: string } };

/** As openapi-typescript writes it, with what documents hold: other media types, ranges of statuses and a required header. */
interface paths {
  "/api/v1/contacts": {
    get: {
      parameters: { query?: { limit?: number } };
      responses: { 200: Answer<ContactList>; default: Answer<Problem> };
    };
    post: {
      parameters: { header: { "X-Region": "eu" | "us" } };
      requestBody: { content: { "application/json": { name: string } } };
      responses: { "2XX": Answer<Contact>; 409: Answer<Conflict>; default: Answer<Problem> };
    };
  };
  "/api/v1/contacts/{contactId}": {
    get: { parameters: ById; responses: { 200: Answer<Contact>; 404: Answer<Problem> } };
    patch: {
      parameters: ById;
      requestBody?: { content: { "application/json": { name?: string } } };
      responses: { 203: Answer<Contact> };
    };
    delete: { parameters: ById; responses: { 204: { content?: never } } };
  };
  "/api/v1/contacts/export": { get: { parameters: object; responses: { 200: { content: { "text/csv": string } } } } };
}

const contact = (number: number) => ({ id: `c-${number}`, name: "Ada" });
const page = (numbers: number[], total: number, more: object = {}) =>
  json(200, { contacts: numbers.map(contact), meta: { total }, ...more });
const contactsOf = (client: CallTransfer, query?: object) =>
  client.list<ContactList>("/api/v1/contacts", { itemsField: "contacts", query });
const all = { maxItems: 1000 };

it("the types of the example are what openapi-typescript writes of its document", async () => {
  const [types, document] = ["ts", "yaml"].map(
    (end) => new URL(`../../../examples/other-operations/platform.${end}`, import.meta.url),
  ) as [URL, URL];
  expect(readFileSync(types, "utf8")).toBe(COMMENT_HEADER + astToString(await openapiTS(document)));
});

describe("the types of a customer's paths", () => {
  const api = {} as RawClient<paths>;
  const throwing = {} as RawClient<paths, true>;
  const one = { params: { path: { contactId: "c-1" } } };
  const region = { params: { header: { "X-Region": "eu" as const } } };

  it("are those of data and errors, in any JSON media type and for any status", () => {
    const read = () => api.GET("/api/v1/contacts/{contactId}", one);
    expectTypeOf<Awaited<ReturnType<typeof read>>["data"]>().toEqualTypeOf<Contact | undefined>();
    expectTypeOf<Awaited<ReturnType<typeof read>>["error"]>().toEqualTypeOf<Problem | undefined>();
    const create = () => api.POST("/api/v1/contacts", { ...region, body: { name: "Ada" } });
    expectTypeOf<Awaited<ReturnType<typeof create>>["data"]>().toEqualTypeOf<Contact | undefined>();
    type CreateError = Conflict | Problem | undefined;
    expectTypeOf<Awaited<ReturnType<typeof create>>["error"]>().toEqualTypeOf<CreateError>();
    const text = () => api.GET("/api/v1/contacts/export", { parseAs: "text" });
    expectTypeOf<Awaited<ReturnType<typeof text>>["data"]>().toEqualTypeOf<string | undefined>();
  });

  it("need no check of data where errors are thrown", () => {
    const read = async () => (await throwing.GET("/api/v1/contacts/{contactId}", one)).data;
    expectTypeOf(read).returns.resolves.toEqualTypeOf<Contact>();
    const remove = async () => (await throwing.DELETE("/api/v1/contacts/{contactId}", one)).data;
    expectTypeOf(remove).returns.resolves.toEqualTypeOf<undefined>();
  });

  it("refuse other paths, methods, parameters and bodies", () => {
    const calls = () => [
      // @ts-expect-error the path is not in the document
      api.GET("/api/v1/roles"),
      // @ts-expect-error the path has no such method
      api.PUT("/api/v1/contacts"),
      // @ts-expect-error the ID is missing
      api.GET("/api/v1/contacts/{contactId}"),
      // @ts-expect-error the header is missing
      api.POST("/api/v1/contacts", { body: { name: "Ada" } }),
      // @ts-expect-error the name is missing
      api.POST("/api/v1/contacts", { ...region, body: {} }),
      // @ts-expect-error limit is a number
      api.GET("/api/v1/contacts", { params: { query: { limit: "1" } } }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it("are those of the operations that this version has, unless others are given", () => {
    const given = (client: CallTransfer) =>
      [createRawClient(client), createRawClient<paths>(client, { throwOnError: true })] as const;
    expectTypeOf(given).returns.toEqualTypeOf<readonly [RawClient, RawClient<paths, true>]>();
  });

  it("of a list are those of its page and of the field that it names", () => {
    const list = (client: CallTransfer) => contactsOf(client);
    const item = async (client: CallTransfer) => (await list(client).toArray(all))[0];
    expectTypeOf(item).returns.resolves.toEqualTypeOf<Contact | undefined>();
    expectTypeOf(
      async (client: CallTransfer) => (await list(client)).meta.total,
    ).returns.resolves.toEqualTypeOf<number>();
    // @ts-expect-error meta is no list
    const wrong = (client: CallTransfer) => client.list<ContactList>("/api/v1/contacts", { itemsField: "meta" });
    const untyped = (client: CallTransfer) => client.list("/api/v1/contacts", { itemsField: "contacts" }).toArray(all);
    expectTypeOf(untyped).returns.resolves.toEqualTypeOf<unknown[]>();
    expectTypeOf(wrong).toBeFunction();
  });
});

describe("a request by createRawClient<Paths>()", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const lost = () => networkError("ECONNRESET");
  const one = { params: { path: { contactId: "c-1" } } };
  const region = { params: { header: { "X-Region": "eu" as const } } };
  const requests: Readonly<Record<string, (api: RawClient<paths, true>) => Promise<{ data: unknown }>>> = {
    GET: (api) => api.GET("/api/v1/contacts/{contactId}", one),
    DELETE: (api) => api.DELETE("/api/v1/contacts/{contactId}", one),
    POST: (api) => api.POST("/api/v1/contacts", { ...region, body: { name: "Ada" } }),
    PATCH: (api) => api.PATCH("/api/v1/contacts/{contactId}", { ...one, body: { name: "Ada" } }),
  };
  /** Sends a request to a server that plays a script. */
  async function send(method: string, script: Step[], options: Partial<ClientOptions> = {}) {
    const { client, sent } = clientOf(script, options);
    const result = await settle(
      requests[method]?.(createRawClient<paths>(client, { throwOnError: true })) ??
        Promise.reject(new Error(`No request with ${method}.`)),
    );
    return { result, sent };
  }

  it.each(["POST", "PATCH"])("is sent once with the method %s if it may have been carried out", async (method) => {
    const { result, sent } = await send(method, [lost()]);
    expect(result).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  it("sends the parameters of the header", async () => {
    const { sent } = await send("POST", [json(201, contact(1))]);
    expect(sent[0]?.headers.get("x-region")).toBe("eu");
    expect(sent[0]?.headers.get("authorization")).toContain(apiKey);
  });

  it("throws the ApiError of the response with throwOnError", async () => {
    const { result } = await send("GET", [problem(404, "resource_not_found")]);
    expect(result).toBeInstanceOf(NotFoundError);
    expect(result).toMatchObject({
      ...{ code: "resource_not_found", status: 404, requestId: "req-1", outcome: "rejected" },
      ...{ operationId: "GET /api/v1/contacts/{contactId}", attempts: [{ status: 404, code: "resource_not_found" }] },
    });
  });

  it("throws it after the retries, with the wait that the server asked for", async () => {
    const limited = () => problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 2 } });
    const { result, sent } = await send("POST", Array.from({ length: 1 + defaultMaxRetries }, limited));
    expect(result).toBeInstanceOf(ApiError);
    expect(result).toMatchObject({ status: 429, retryAfterSecs: 2 });
    expect(sent).toHaveLength(1 + defaultMaxRetries);
  });

  it("returns the error of the response without throwOnError", async () => {
    const { client } = clientOf([problem(404, "resource_not_found")]);
    const { data, error, response } = await createRawClient<paths>(client).GET("/api/v1/contacts/{contactId}", one);
    expect([data, error?.code, response.status]).toEqual([undefined, "resource_not_found", 404]);
  });

  it.each<[what: string, options: unknown, argument: string]>([
    ["throwOnError that is no boolean", { throwOnError: "yes" }, "throwOnError"],
    ["an unknown option", { throwsOnError: true }, "throwsOnError"],
  ])("is refused at once with %s", (_, options, argument) => {
    expect(() => createRawClient(clientOf([]).client, options as object)).toThrow(InvalidArgumentError);
    expect(() => createRawClient(clientOf([]).client, options as object)).toThrow(argument);
  });
});

describe("a list of a path that is no operation", () => {
  it.each<[pages: number, script: Step[], ids: number[]]>([
    [0, [page([], 0)], []],
    [1, [page([1, 2], 2)], [1, 2]],
    [3, [page([1, 2], 5), page([3, 4], 5), page([5], 5)], [1, 2, 3, 4, 5]],
  ])("is read to its end: %i pages with items", async (_, script, ids) => {
    const { client, sent } = clientOf(script);
    const read: Contact[] = [];
    for await (const one of contactsOf(client, { limit: 2 })) read.push(one);
    expect(read).toEqual(ids.map(contact));
    const offsets = ["", "&offset=2", "&offset=4"].slice(0, script.length);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(offsets.map((offset) => `?limit=2${offset}`));
  });

  it("begins at its offset, and has path parameters and options", async () => {
    const { client, sent } = clientOf([json(200, { members: [contact(3)], meta: { total: 3 } })]);
    const input = { itemsField: "members", path: { listId: "l 1" }, query: { offset: 2 } };
    const list = client.list("/api/v1/lists/{listId}/members", input, { accountId: "a-1" });
    expect(await list.toArray(all)).toEqual([contact(3)]);
    expect(sent[0]?.url).toBe("https://api.example.com/api/v1/lists/l%201/members?offset=2");
    expect(sent[0]?.headers.get("x-account-id")).toBe("a-1");
  });

  it.each<[what: string, body: unknown]>([
    ["no meta.total, as where cursors page", { contacts: [contact(1)], next: "cursor" }],
    ["a total that is no number", { contacts: [contact(1)], meta: { total: "1" } }],
    ["items under another name", { data: [contact(1)], meta: { total: 1 } }],
    ["items that are no list", { contacts: {}, meta: { total: 1 } }],
    ["no object", [contact(1)]],
    ["null", null],
  ])("fails instead of ending early where a page has %s", async (_, body) => {
    const { client, sent } = clientOf([json(200, body)]);
    await expect(contactsOf(client).toArray(all)).rejects.toMatchObject({
      name: "InvalidResponseError",
      message: "GET /api/v1/contacts has no list contacts with meta.total: check itemsField",
    });
    expect(sent).toHaveLength(1);
  });

  it.each<[what: string, input: unknown]>([
    ["no input", undefined],
    ["no name of its items", {}],
  ])("fails with what to check if it has %s", async (_, input) => {
    const { client } = clientOf([page([1], 1)]);
    await expect(client.list("/api/v1/contacts", input as never).toArray(all)).rejects.toThrow(
      /no list undefined .*: check itemsField$/,
    );
  });

  it.each<[argument: string, path: unknown, input: unknown]>([
    ["path", "https://evil.example/contacts", { itemsField: "contacts" }],
    ["path", "/api/v1/../contacts", { itemsField: "contacts" }],
    ["input", "/api/v1/contacts", null],
    ["listId", "/api/v1/lists/{listId}", { itemsField: "contacts" }],
    ["tag", "/api/v1/contacts", { itemsField: "contacts", query: { tag: {} } }],
  ])("refuses an invalid %s, and sends nothing", async (argument, path, input) => {
    const { client, sent } = clientOf([]);
    const error = await client.list(path as string, input as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
    expect(sent).toEqual([]);
  });

  it("has the rules of an operation that this version has", async () => {
    const { client } = clientOf([json(200, { calls: [contact(1)] }), json(200, { calls: [] })]);
    expect(await client.list("/api/v1/calls", { itemsField: "calls" }).toArray(all)).toEqual([contact(1)]);
  });
});

describe("a list of values in a query is one parameter for each of them", () => {
  const tags = ["a", "b"];
  it.each<[string, (client: CallTransfer) => PromiseLike<unknown>]>([
    ["in request()", (client) => client.request("GET", "/api/v1/contacts", { query: { tags } })],
    ["in extraQuery", (client) => client.roles.list({ extraQuery: { tags } })],
    ["in list()", (client) => client.list("/api/v1/contacts", { itemsField: "contacts", query: { tags } })],
    [
      "in createRawClient()",
      (client) => createRawClient<AnyPaths>(client).GET("/api/v1/contacts", { params: { query: { tags } } }),
    ],
  ])("%s", async (_name, send) => {
    const { client, sent } = clientOf([page([1], 1, { roles: [] })]);
    await send(client);
    expect(new URL(sent[0]?.url ?? "").search).toBe("?tags=a&tags=b");
  });
});

describe("bytes that are no text", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const inParts =
    (...parts: Uint8Array[]) =>
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      );
  const bom = Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
  const cases: [string, () => Response, Uint8Array][] = [
    ["in one part", () => new Response(bytes), bytes],
    ["in several parts", inParts(bytes.subarray(0, 200), bytes.subarray(200)), bytes],
    ["with a byte order mark", () => new Response(bom), bom],
    ["none", () => new Response(new Uint8Array()), new Uint8Array()],
  ];
  describe.each(cases)("%s", (_name, answer, expected) => {
    it.each([true, false])("reach createRawClient() as they are, with middleware: %s", async (isWrapped) => {
      const middleware: Middleware[] = isWrapped ? [async (_request, next) => (await next()).clone()] : [];
      const { client } = clientOf([answer(), answer(), answer(), answer()], { middleware });
      const contacts = createRawClient<AnyPaths>(client);
      const path = "/api/v1/contacts";
      const { data, response } = await contacts.GET(path, { parseAs: "arrayBuffer" });
      expect(new Uint8Array(data as unknown as ArrayBuffer)).toEqual(expected);
      expect(new Uint8Array(await response.clone().arrayBuffer())).toEqual(expected);
      const blob = (await contacts.GET(path, { parseAs: "blob" })).data as unknown as Blob;
      expect(new Uint8Array(await blob.arrayBuffer())).toEqual(expected);
      const stream = (await contacts.GET(path, { parseAs: "stream" })).data as unknown as ReadableStream;
      expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(expected);
      const text = (await contacts.GET(path, { parseAs: "text" })).data;
      expect(text).toBe(new TextDecoder().decode(expected));
    });
  });

  it("of an error are shown without the key", async () => {
    const { client } = clientOf([new Response(`\u0000${apiKey}`, { status: 404 })]);
    const { response } = await createRawClient<AnyPaths>(client).GET("/api/v1/contacts", { parseAs: "arrayBuffer" });
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe("\u0000[redacted]");
  });
});

describe("a body that can be read once is not sent again after its token expired", () => {
  async function* parts() {
    yield new TextEncoder().encode("{}");
  }
  const bodies: Readonly<Record<string, () => unknown>> = {
    "an async generator": parts,
    "a stream": () => new Response("{}").body,
    "the iterator of a list": () => ["{}"].values(),
    "a stream of Node": () => Readable.from(["{}"]),
  };
  it.each(Object.keys(bodies))("%s", async (name) => {
    const { client, sent } = clientOf([problem(401, "token_expired"), json(200, {})], {
      accessToken: async () => "an-access-token",
      accountId: "a",
    });
    const sending = createRawClient<AnyPaths>(client, { throwOnError: true }).POST("/api/v1/contacts", {
      body: bodies[name]?.(),
      bodySerializer: (body: unknown) => body,
    });
    await expect(sending).rejects.toMatchObject({ status: 401, retrySkippedReason: "body_not_replayable" });
    expect(sent).toHaveLength(1);
  });
});

describe("headers of the caller's", () => {
  it.each(["text/csv", "application/json, text/plain;q=0.5"])("accept: %s is sent", async (accept) => {
    const { client, sent } = clientOf([json(200, { roles: [] }), json(200, { roles: [] })], {
      headers: { Accept: accept },
    });
    await client.roles.list();
    await client.withOptions({ headers: {} }).roles.list();
    expect(sent.map(({ headers }) => headers.get("accept"))).toEqual([accept, "application/json"]);
  });

  it.each(["Host", "content-length", "connection", "transfer-encoding", "expect", "keep-alive", "upgrade"])(
    "%s, which fetch sets, is refused by name",
    (name) => {
      expect(() => clientOf([], { headers: { [name]: "1" } })).toThrow("without headers that other options set");
    },
  );
});
