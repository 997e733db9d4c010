import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { IncompleteDescription, loadDocument } from "../../scripts/generate/read/document.ts";

const root = mkdtempSync(join(tmpdir(), "call-transfer-openapi-"));
afterAll(() => rmSync(root, { recursive: true }));
let copies = 0;

/** A copy of openapi/ with texts replaced in its files. */
function edited(...edits: readonly (readonly [file: string, from: string, to: string])[]): URL {
  copies += 1;
  const folder = join(root, String(copies));
  cpSync(fileURLToPath(new URL("../../openapi/", import.meta.url)), folder, { recursive: true });
  for (const [file, from, to] of edits) {
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    );
  }
  return pathToFileURL(`${folder}/`);
}

/** `what :: file :: from --> to :: what the failure says`. \n is a line's end. */
const mistakes = String.raw`
a missing mark :: paths/destinations.yaml ::     x-scope: transfers:write\n -->  :: destinations.yaml:2  rotateSecret.post.x-scope is missing: it must be such as
an unknown role :: paths/destinations.yaml :: [owner, admin] --> [owner, boss] :: destinations.yaml:10  rotateSecret.post.x-roles must be who may call it
a write without idempotency :: paths/destinations.yaml ::     x-idempotency: non_idempotent\n -->  :: x-idempotency is missing
an empty summary :: paths/destinations.yaml :: summary: Rotate an app destination's signing secret --> summary: :: destinations.yaml:5  rotateSecret.post.summary must be a text
a schema that does not exist :: paths/destinations.yaml :: #/TransferDestination --> #/Destination :: Can't resolve $ref
an error response :: paths/destinations.yaml ::       '200': -->       '404': {}\n      '200': :: responses.404 must be removed
no example :: paths/calls.yaml ::             examples:\n              calls: -->             x-examples:\n              calls: :: responses.200.content.application/json.examples is missing
a parameter without a description :: paths/calls.yaml ::         description: Number of calls to skip; $default by default.\n -->  :: parameters.1.description is missing
an id as a parameter :: paths/calls.yaml :: in: query --> in: path :: parameters.0.in must be query
paging without a list :: paths/calls.yaml :: { items: calls } --> { items: pages } :: x-pagination names pages, which is not a list
a reconciliation without a list :: paths/calls.yaml :: list: listCalls --> list: createCall :: x-reconcile names createCall
a reconciliation since nothing :: paths/calls.yaml :: since: startDate --> since: endDate :: x-reconcile names endDate
one operationId twice :: paths/calls.yaml :: get:\n    operationId: listCalls --> get:\n    operationId: createCall :: Another operation is called createCall too
one method of the SDK twice :: paths/calls.yaml :: method: list } --> method: create } :: Another operation is called client.calls.create too
a circle of references :: paths/calls.yaml :: collection:\n --> collection:\n  $ref: '#/collection'\nx:\n :: refers to a place that does not exist
a path that leads nowhere :: openapi.yaml :: #/rotateSecret --> #/rotate :: refers to a place that does not exist
no list of tags :: openapi.yaml :: tags:\n  - name --> tags: 5\nx-tags:\n  - name :: tags must be a list
a property without a description :: schemas/accounts.yaml ::       description: Name of the account.\n -->  :: accounts.yaml:10  The property name of Account has no description
a secret shown by no operation :: schemas/destinations.yaml :: [rotateDestinationSecret] --> [showSecret] :: has another x-returned-by
a text about a limit that is not there :: schemas/destination-groups.yaml :: maxLength: --> x-longest: :: The text names $maxLength
a code of an unknown operation :: error-codes.yaml :: when: [createDestinationGroup] --> when: [createGroup] :: must be an operationId or one of every-operation
a cause for who does not answer the code :: error-codes.yaml :: rotateDestinationSecret: The destination --> createCall: The destination :: causes.createCall must be an entry of when
a code without a status :: error-codes.yaml :: api_key_expired: { status: 401 --> api_key_expired: { x-status: 401 :: api_key_expired must have a status
a code without advice :: error-codes.yaml ::         advice: Create a new API key. Find -->         x-advice: Create a new API key. Find :: advice is missing
a syntax error :: schemas/roles.yaml :: type: object --> type: [object :: openapi/schemas/roles.yaml:
`
  .trim()
  .split("\n")
  .map((line) => line.replaceAll(String.raw`\n`, "\n").split(" :: "));

it.each(mistakes)("openapi/ is refused with %s, with file and line", async (_, file = "", edit = "", words) => {
  const [from = "", to = ""] = edit.split(" --> ");
  const failure = await loadDocument(edited([file, from, to])).then(String, (error: unknown) => error);
  expect(failure).toBeInstanceOf(IncompleteDescription);
  expect(String(failure)).toMatch(
    /^IncompleteDescription: openapi\/ has \d+ problems?:\n {2}openapi\/[\w./-]+:\d+ {2}/,
  );
  expect(String(failure)).toContain(words);
  expect(String(failure)).not.toMatch(/undefined|\[object/);
});

it.each(["openapi.yaml", "error-codes.yaml", "schemas/roles.yaml", "paths/roles.yaml"])(
  "an empty %s is refused",
  async (name) => {
    const folder = edited();
    writeFileSync(join(fileURLToPath(folder), name), "");
    await expect(loadDocument(folder)).rejects.toThrow(IncompleteDescription);
  },
);

it("an operation gets parameters, error responses and the request id from its marks", async () => {
  const operation = `example:
  get:
    operationId: getDestinationExample
    tags: [destinations]
    summary: Get a destination
    description: Returns it.
    x-sdk: { resource: destinations, method: getExample }
    x-roles: [owner]
    x-scope: transfers:read
    x-account-scoped: true
    responses:
      '204':
        description: Nothing.

`;
  const item = "  /api/v1/transfers/destinations/{id}/example:\n    $ref: paths/destinations.yaml#/example\n";
  const { paths } = await loadDocument(
    edited(
      ["paths/destinations.yaml", "rotateSecret:\n", `${operation}rotateSecret:\n`],
      ["openapi.yaml", "paths:\n", `paths:\n${item}`],
    ),
  );
  const { parameters, get } = paths["/api/v1/transfers/destinations/{id}/example"] as {
    parameters: { name?: string; $ref?: string }[];
    get: { responses: Record<string, { headers?: object }> };
  };
  expect(parameters.map(({ name, $ref }) => name ?? $ref)).toEqual(["#/components/parameters/AccountId", "id"]);
  expect(Object.keys(get.responses)).toEqual(["204", "400", "401", "403", "404", "429", "500", "default"].sort());
  expect(Object.keys(get.responses["204"]?.headers ?? {})).toEqual(["X-Request-Id"]);
});
