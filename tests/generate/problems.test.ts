import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { IncompleteDescription, loadDocument } from "../../scripts/generate/read/document.ts";
import { problemsIn } from "../../scripts/generate/read/problems.ts";

const root = mkdtempSync(join(tmpdir(), "call-transfer-openapi-"));
afterAll(() => rmSync(root, { recursive: true }));
let copies = 0;

/** A copy of openapi/ with a text replaced in one of its files. */
function edited(file: string, from: string, to: string): URL {
  copies += 1;
  const folder = join(root, String(copies));
  cpSync(fileURLToPath(new URL("../../openapi/", import.meta.url)), folder, { recursive: true });
  const text = readFileSync(join(folder, file), "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(join(folder, file), text.replace(from, to));
  return pathToFileURL(`${folder}/`);
}

const messagesOf = (file: string, from: string, to: string) =>
  problemsIn(edited(file, from, to)).map(({ file: name, line, message }) => `${name}:${line} ${message}`);

const destinations = "paths/destinations.yaml";
const calls = "paths/calls.yaml";

describe("the problems of openapi/", () => {
  it("are none as it is", () => {
    expect(messagesOf("openapi.yaml", "openapi:", "openapi:")).toEqual([]);
  });

  it.each<[string, string, string, string, string]>([
    [
      "a missing mark",
      destinations,
      "    x-scope: transfers:write\n",
      "",
      ":2 rotateDestinationSecret has no x-scope. Write",
    ],
    [
      "an unknown role",
      destinations,
      "[owner, admin]",
      "[owner, boss]",
      ':10 rotateDestinationSecret has the x-roles ["owner","boss"]. Write',
    ],
    [
      "an error code of an unknown operation",
      "error-codes.yaml",
      "resource_already_exists: { status: 409, when: [createDestinationGroup]",
      "resource_already_exists: { status: 409, when: [createGroup]",
      'The error code resource_already_exists names "createGroup" in when. Write',
    ],
    [
      "a cause for operations that do not answer the code",
      "error-codes.yaml",
      "rotateDestinationSecret: The destination",
      "createCall: The destination",
      'The error code bad_request names "createCall" in causes. Write',
    ],
    [
      "a write without a retry class",
      destinations,
      "    x-idempotency: non_idempotent\n",
      "",
      ":2 rotateDestinationSecret has no x-idempotency. Write",
    ],
    [
      "a missing summary",
      destinations,
      "summary: Rotate an app destination's signing secret",
      "summary:",
      ":5 rotateDestinationSecret has no summary. Write",
    ],
    [
      "a missing example",
      calls,
      "            examples:\n              calls:",
      "            x-examples:\n              calls:",
      "listCalls: the response 200 has no example. Write",
    ],
    [
      "a property without a description",
      "schemas/accounts.yaml",
      "      description: Name of the account.\n",
      "",
      "openapi/schemas/accounts.yaml:10 The property name of Account has no description. Write",
    ],
    [
      "a property of another schema without a description",
      "schemas/calls.yaml",
      "      $ref: '#/ListMeta'\n      description: The size of the whole list.\n",
      "      $ref: '#/ListMeta'\n",
      "The property meta of CallList has no description. Write",
    ],
    [
      "a query parameter without a description",
      calls,
      "        description: Number of calls to skip; $default by default.\n",
      "",
      ':85 listCalls: the query parameter "offset" has no description. Write one.',
    ],
    [
      "a missing schema",
      destinations,
      "#/TransferDestination",
      "#/Destination",
      "which does not exist. Write that schema",
    ],
    [
      "an error response",
      destinations,
      "      '200':",
      "      '404': {}\n      '200':",
      "the response 404 is derived from the error codes. Remove it",
    ],
    [
      "an id as a parameter",
      calls,
      "in: query",
      "in: path",
      'the parameter "limit" is derived. Write only query parameters',
    ],
    [
      "paging without a list",
      calls,
      "{ items: calls }",
      "{ items: pages }",
      "x-pagination names pages, which is not a list",
    ],
    [
      "a reconciliation without a list",
      calls,
      "list: listCalls",
      "list: createCall",
      'x-reconcile names "createCall". Write',
    ],
    [
      "two operations of one name",
      calls,
      "get:\n    operationId: listCalls",
      "get:\n    operationId: createCall",
      "Another operation is called createCall too.",
    ],
    [
      "a path that leads nowhere",
      "openapi.yaml",
      "#/rotateSecret",
      "#/rotate",
      "refers to a place that does not exist",
    ],
    [
      "a code without a status",
      "error-codes.yaml",
      "api_key_expired: { status: 401, ",
      "api_key_expired: { ",
      "The error code api_key_expired has no status.",
    ],
    [
      "a code without advice",
      "error-codes.yaml",
      "        advice: Create a new API key. Find",
      "        x-advice: Create a new API key. Find",
      "The error code api_key_revoked has no advice.",
    ],
    [
      "a field code without advice",
      "error-codes.yaml",
      "    advice: Send a smaller number.",
      "    x-advice: Send a smaller number.",
      "The field code above_maximum has no advice.",
    ],
    ["a syntax error", destinations, "tags: [destinations]", "tags: [destinations", "openapi/paths/destinations.yaml:"],
    [
      "a syntax error in a schema",
      "schemas/roles.yaml",
      "type: object",
      "type: [object",
      "openapi/schemas/roles.yaml:",
    ],
  ])("name %s with file and line", (_name, file, from, to, expected) => {
    const messages = messagesOf(file, from, to);
    expect(messages.join("\n")).toContain(expected);
    expect(messages.every((message) => message.startsWith(`openapi/`))).toBe(true);
  });

  it.each<[string, string, string, string]>([
    ["tags", "openapi.yaml", "tags:\n  - name", "tags: 5\nx-tags:\n  - name"],
    ["a path that is a folder", "openapi.yaml", "$ref: paths/roles.yaml#/collection", "$ref: paths"],
    ["a circle of references", calls, "collection:\n", "collection:\n  $ref: '#/collection'\nx:\n"],
    ["x-pagination", calls, "x-pagination: { items: calls }", "x-pagination: calls"],
    ["since", calls, "since: startDate", "since: endDate"],
    ["the same SDK method twice", calls, "method: list }", "method: create }"],
    ["an alias", "schemas/roles.yaml", "enum: [agent, member, admin, owner]", "enum: *roles"],
    ["groups", "error-codes.yaml", "groups:\n", "groups: text\nx-groups:\n"],
    ["when", "error-codes.yaml", "when: [every-operation]", "when: every-operation"],
    ["an unknown operation in x-returned-by", "schemas/destinations.yaml", "[rotateDestinationSecret]", "[showSecret]"],
  ])("name what is wrong with %s, and where", async (_name, file, from, to) => {
    const failure = await loadDocument(edited(file, from, to)).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(IncompleteDescription);
    expect(String(failure)).toMatch(
      /^IncompleteDescription: openapi\/ has \d+ problems?:\n {2}openapi\/[\w./-]+:\d+ {2}/,
    );
    expect(String(failure)).not.toMatch(/undefined|\[object/);
  });

  it.each(["openapi.yaml", "error-codes.yaml", "schemas/roles.yaml", "paths/roles.yaml"])(
    "name %s when it is empty",
    async (name) => {
      const folder = edited(name, "", "");
      writeFileSync(join(fileURLToPath(folder), name), "");
      await expect(loadDocument(folder)).rejects.toThrow(IncompleteDescription);
    },
  );

  it("come in one list, however many there are", async () => {
    const folder = edited(destinations, "    x-scope: transfers:write\n", "");
    const file = join(fileURLToPath(folder), destinations);
    writeFileSync(file, readFileSync(file, "utf8").replace("    x-idempotency: non_idempotent\n", ""));
    await expect(loadDocument(folder)).rejects.toThrow(/openapi\/ has 2 problems:\n.*x-scope.*\n.*x-idempotency/);
  });

  it("include a reference that the bundler cannot resolve, with its line", async () => {
    const folder = edited("schemas/destinations.yaml", "#/TransferDestinationConfig", "#/Config");
    await expect(loadDocument(folder)).rejects.toThrow(/openapi\/schemas\/destinations\.yaml:\d+ {2}Can't resolve/);
  });
});

describe("an operation gets what follows from its marks", () => {
  const marks = [
    "    operationId: getDestinationExample",
    "    tags: [destinations]",
    "    summary: Get a destination",
    "    description: Returns it.",
    "    x-sdk: { resource: destinations, method: getExample }",
    "    x-roles: [owner]",
    "    x-scope: transfers:read",
    "    x-account-scoped: true",
    "    responses:",
    "      '204':",
    "        description: Nothing.",
  ];
  const folder = edited(destinations, "rotateSecret:\n", `example:\n  get:\n${marks.join("\n")}\n\nrotateSecret:\n`);
  const file = join(fileURLToPath(folder), "openapi.yaml");
  const item = "  /api/v1/transfers/destinations/{id}/example:\n    $ref: paths/destinations.yaml#/example\n";
  writeFileSync(file, readFileSync(file, "utf8").replace("paths:\n", `paths:\n${item}`));

  it("parameters, error responses and the request id", async () => {
    const { paths } = await loadDocument(folder);
    const { parameters, get } = paths["/api/v1/transfers/destinations/{id}/example"] as {
      parameters: { name?: string; $ref?: string }[];
      get: { responses: Record<string, { headers?: object }> };
    };
    expect(parameters.map(({ name, $ref }) => name ?? $ref)).toEqual(["#/components/parameters/AccountId", "id"]);
    expect(Object.keys(get.responses)).toEqual(["204", "400", "401", "403", "404", "429", "500", "default"].sort());
    expect(Object.keys(get.responses["204"]?.headers ?? {})).toEqual(["X-Request-Id"]);
  });
});
