import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo, type Stub } from "@call-transfer/backend";
import { afterAll, expect, it } from "vitest";
import { loadSampler, readDocument } from "../../src/cli/files/document-file.ts";
import { UsageError } from "../../src/cli/values/command-line.ts";
import { startForwardingServer } from "../../src/proxy/forwarding-server.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-document-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "other.yaml");
const authorization = `Bearer ${demo.apiKey}`;

const document = `
openapi: 3.0.3
servers: [{ url: "https://api.example.com/api/v1" }]
components:
  parameters:
    Id: { name: contact-id, in: path, required: true, schema: { type: integer } }
  schemas:
    Node:
      properties:
        name: { type: string }
        children: { type: array, items: { $ref: "#/components/schemas/Node" } }
    Contact:
      type: object
      required: [id, name]
      additionalProperties: false
      properties:
        id: { type: string, format: uuid, readOnly: true }
        name: { type: string, minLength: 2, nullable: true }
        age: { type: integer, minimum: 0 }
paths:
  /contacts:
    get:
      operationId: listContacts
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, maximum: 50 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
      responses:
        "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Contact" } } } } }
    post:
      security: []
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Contact" } } } }
      responses: { "201": { content: { application/json: { example: { id: 1, name: "{{nope}}" } } } } }
  /contacts/{contact-id}:
    parameters: [{ $ref: "#/components/parameters/Id" }]
    get: { responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Contact" } } } } } }
    delete: { responses: { "204": {} } }
  /trees:
    put:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } } }
      responses: { default: { content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } } } }
  /roles: { get: { responses: {} } }
`;

/** Starts a server with the document, and returns what sends requests to it. */
async function serve(content: string, options: { readonly stubs?: readonly Stub[]; readonly unknownTo?: string } = {}) {
  writeFileSync(path, content);
  const { operations, ignored } = await readDocument("--also", path);
  const { unknownTo = "http://127.0.0.1:9", stubs = [] } = options;
  const server = await startForwardingServer({ unknownTo }, { port: 0, clock: "frozen", also: operations, stubs });
  const send = async (
    method: string,
    target: string,
    body?: string,
    headers: Record<string, string> = { authorization },
  ) => {
    const json = { ...headers, "content-type": "application/json" };
    const response = await fetch(`${server.url}/api/v1${target}`, {
      method,
      headers: body === undefined ? headers : json,
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const { code, errors } = text.startsWith("{") ? JSON.parse(text) : {};
    return code === undefined
      ? [response.status, text === "" ? undefined : JSON.parse(text)]
      : [response.status, code, errors?.map(({ field, code: of }: Record<string, unknown>) => `${field} ${of}`)];
  };
  return { server, send, ignored };
}

it("runs no regular expression of the document, also none that would never end", async () => {
  const schema = "{ type: object, properties: { name: { type: string, pattern: '^(a+)+$' } } }";
  const operation = `{ requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { "204": {} } }`;
  const { server, send } = await serve(
    `openapi: 3.1.0\nservers: [{ url: "https://api.example.com/api/v1" }]\npaths: { /names: { put: ${operation} } }`,
  );
  expect(await send("PUT", "/names", JSON.stringify({ name: `${"a".repeat(50)}!` }))).toEqual([204, undefined]);
  expect(await send("PUT", "/names", '{"name":1}')).toEqual([400, "validation_failed", ["name invalid_format"]]);
  await server.close();
});

const contact = { id: expect.stringMatching(/^[-\da-f]{36}$/), name: "string", age: 0 };

it("answers by examples and sampled schemas, after stubs and before another server", async () => {
  const stub: Stub = { method: "GET", path: "/api/v1/contacts/9", response: { body: "stub" } };
  const { server, send, ignored } = await serve(document, { stubs: [stub], unknownTo: "http://127.0.0.1:9" });
  expect(ignored).toEqual(["GET /api/v1/roles"]);
  expect(await send("GET", "/contacts?limit=5&tag=a&tag=b")).toEqual([200, [contact]]);
  expect(await send("POST", "/contacts", '{"name":null}', {})).toEqual([201, { id: 1, name: "{{nope}}" }]);
  expect(await send("GET", "/contacts/7")).toEqual([200, contact]);
  expect(await send("DELETE", "/contacts/7")).toEqual([204, undefined]);
  expect(await send("PUT", "/trees", '{"children":[{"children":[{"name":1}]}]}')).toEqual([
    200,
    { name: "string", children: [] },
  ]);
  expect(await send("PUT", "/trees")).toEqual([200, { name: "string", children: [] }]);
  expect(
    (await fetch(`${server.url}/api/v1/contacts/9`, { headers: { authorization } })).headers.get("content-type"),
  ).toBe("text/plain");
  expect((await send("GET", "/nowhere"))[0]).toBe(502);
  expect((await send("GET", "/roles"))[0]).toBe(200);
  expect(server.backend.journal.list().map(({ stub: id, decidedBy }) => id ?? decidedBy.step)).toEqual([
    ...[
      "listContacts",
      "POST /api/v1/contacts",
      "GET /api/v1/contacts/{contact-id}",
      "DELETE /api/v1/contacts/{contact-id}",
    ],
    ...["PUT /api/v1/trees", "PUT /api/v1/trees", "stub-1", "elsewhere", "operation"],
  ]);
  await server.close();
});

it("refuses what its schemas do not allow, in the platform's form, and obeys credentials and faults", async () => {
  const { server, send } = await serve(document);
  expect(await send("GET", "/contacts?limit=5", undefined, {})).toEqual([401, "token_missing", undefined]);
  expect(await send("GET", "/contacts")).toEqual([400, "validation_failed", ["limit required"]]);
  expect(await send("GET", "/contacts?limit=99")).toEqual([400, "validation_failed", ["limit above_maximum"]]);
  expect(await send("GET", "/contacts?limit=x")).toEqual([400, "validation_failed", ["limit invalid_format"]]);
  expect(await send("GET", "/contacts/x")).toEqual([400, "validation_failed", ["contact_id invalid_format"]]);
  expect(await send("POST", "/contacts")).toEqual([400, "validation_failed", ["body required"]]);
  expect(await send("POST", "/contacts", "{")).toEqual([400, "invalid_json", undefined]);
  expect(await send("POST", "/contacts", '{"name":"a","b":1}')).toEqual([
    400,
    "validation_failed",
    ["name too_short", "body invalid_format"],
  ]);
  server.backend.faults.add("* 503");
  expect((await send("GET", "/contacts/7"))[0]).toBe(503);
  await server.close();
});

const withPaths = (paths: string) => `openapi: 3.1.0\npaths:\n  ${paths}\n`;
const withSchema = (schema: string, rest = "") =>
  withPaths(
    `/a: { post: { requestBody: { content: { application/json: { schema: ${schema} } } }, responses: {} } }${rest}`,
  );
const doubled = Array.from(
  { length: 20 },
  (_, index) =>
    `    S${index}: { properties: { a: { $ref: "#/components/schemas/S${index + 1}" }, b: { $ref: "#/components/schemas/S${index + 1}" } } }`,
);

it.each<[string, string, string]>([
  ["another format", "swagger: '2.0'\n", "FILE:1: openapi: must be a version 3.0 or 3.1, such as 3.1.0"],
  ["a list", "- 1\n", "FILE:1: must be an OpenAPI document"],
  ["no paths", "openapi: 3.1.0\n", "FILE:1: paths: must be an object with the paths"],
  [
    "no responses",
    withPaths("/a: { get: {} }"),
    "FILE:3: paths./a.get.responses: must be an object with the responses",
  ],
  ["a path without a slash", withPaths("a: {}"), "FILE:3: paths.a: must begin with a slash"],
  [
    "a reference to a URL",
    withSchema("{ $ref: 'http://169.254.169.254/x' }"),
    "schema.$ref: is outside of the file. Only references within it are allowed",
  ],
  ["a reference to another file", withSchema("{ $ref: '../secret.yaml' }"), "schema.$ref: is outside of the file."],
  [
    "a reference to the prototype",
    withSchema("{ $ref: '#/__proto__/toString' }"),
    "$ref: names #/__proto__/toString, which the file does not have",
  ],
  [
    "schemas that double with each level",
    withSchema(
      "{ $ref: '#/components/schemas/S0' }",
      `\ncomponents:\n  schemas:\n${doubled.join("\n")}\n    S20: { type: string }`,
    ),
    "has too many parts",
  ],
  [
    "a reference in a circle outside of schemas",
    withPaths("/a: { $ref: '#/paths/~1a' }"),
    "FILE:3: paths./a: must be an object, or a reference to one that is no reference itself",
  ],
  ["a deep schema", withSchema(`${"{ items: ".repeat(60)}{}${" }".repeat(60)}`), "is nested deeper than 64 levels"],
  ["an unknown type", withSchema("{ type: text }"), "is not a valid schema: "],
  [
    "a property __proto__",
    withSchema("{ properties: { __proto__: { type: string } } }"),
    "has a name that JavaScript reserves",
  ],
  ["many parameters in a segment", withPaths("/{a}{b}{c}x: {}"), "has more than two parameters in a segment"],
  [
    "a server with a variable",
    `openapi: 3.1.0\nservers: [{ url: "https://{host}/v1" }]\npaths: {}\n`,
    "FILE:2: servers[0].url: must be a URL without variables",
  ],
  [
    "a schema that contains itself by an alias",
    `openapi: 3.1.0\npaths: { /a: { post: { requestBody: { content: { application/json: { schema: &s { items: *s } } } }, responses: {} } } }\n`,
    "is nested deeper than 64 levels",
  ],
  ["five megabytes", " ".repeat(5 * 2 ** 20), "FILE: has 5 MiB. At most 4 MiB is allowed."],
])("refuses %s in one line that names the place", async (_, content, message) => {
  writeFileSync(path, content);
  const error = await readDocument("--also", path).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  const text = String(error instanceof Error && error.message).replace(`--also ${path}`, "FILE");
  expect(text).toContain(message);
  expect(text).not.toContain("\n");
});

it("makes small examples of schemas that ask for large ones", async () => {
  const large = "{ type: array, minItems: 1000000000, items: { type: string, minLength: 1000000000 } }";
  const { server, send } = await serve(
    withPaths(`/api/v1/a: { get: { responses: { "200": { content: { application/json: { schema: ${large} } } } } } }`),
  );
  expect(await send("GET", "/a")).toEqual([200, ["string"]]);
  await server.close();
});

it("says how to install what it requires", () => {
  const resolver = Object.assign(createRequire(import.meta.url), {
    resolve: () => {
      throw new Error("not found");
    },
  });
  expect(() => loadSampler(Object.assign((id: string) => id, { resolve: resolver.resolve }) as never)).toThrow(
    "--also requires openapi-sampler. Install it with: npm install --save-dev openapi-sampler",
  );
});
