import { readFileSync } from "node:fs";
import { limits } from "@call-transfer/spec";
import { beforeAll, describe, expect, it } from "vitest";
import { withPlainEnums } from "../../packages/contract/src/document/json.ts";
import { published } from "../../scripts/generate/publish.ts";
import {
  IncompleteDescription,
  loadDocument,
  type OpenApiDocument,
  operationsOf,
} from "../../scripts/generate/read/document.ts";
import { anchorsIn } from "../../scripts/markdown.ts";

let completed: OpenApiDocument;
let document: OpenApiDocument;
beforeAll(async () => {
  completed = await loadDocument();
  document = published(completed);
});

function operation(id: string) {
  const found = [...operationsOf(document)].find(({ operation: { operationId } }) => operationId === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found.operation;
}

function* descriptionsIn(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === "description" && typeof child === "string") yield child;
    else yield* descriptionsIn(child);
  }
}

/** Operations as a generator sees them: webhooks too. */
const tagged = (items: Readonly<Record<string, object>>) =>
  Object.values(items).flatMap((item) =>
    Object.values(item as Record<string, { tags?: string[]; operationId?: string }>).flatMap(
      ({ tags = [], operationId }) => (operationId === undefined ? [] : [{ tags, operationId }]),
    ),
  );

/** Names of which a generator makes one file: without regard to case and separators. */
const fileName = (name: string): string => name.replaceAll(/[-_. ]/g, "").toLowerCase();

describe("the published document", () => {
  it("has no tag of both a path and a webhook, because generators write a file for each tag twice", () => {
    const ofWebhooks = tagged(document.webhooks).flatMap(({ tags }) => tags.map(fileName));
    const ofPaths = tagged(document.paths).flatMap(({ tags }) => tags.map(fileName));
    expect(ofWebhooks).not.toEqual([]);
    expect(ofWebhooks.filter((tag) => ofPaths.includes(tag))).toEqual([]);
  });

  it.each<[string, () => readonly string[]]>([
    ["tags", () => document.tags.map(({ name }) => name)],
    ["schemas", () => Object.keys(document.components.schemas)],
    ["operations", () => [...tagged(document.paths), ...tagged(document.webhooks)].map((one) => one.operationId)],
  ])("has no two %s whose names differ only in case or separators", (_what, names) => {
    const files = names().map(fileName);
    expect(files.filter((name, index) => files.indexOf(name) !== index)).toEqual([]);
  });

  it("lists every tag that it uses, and uses every tag that it lists", () => {
    const used = [...tagged(document.paths), ...tagged(document.webhooks)].flatMap(({ tags }) => tags);
    expect(new Set(used)).toEqual(new Set(document.tags.map(({ name }) => name)));
  });

  it.each([
    [
      "rotateDestinationSecret",
      "the roles `owner` and `admin` of the account. An API key needs the scope `transfers:write`.",
    ],
    ["deleteMemberHours", "the roles `owner` and `admin` of the account, and the member in the path."],
    ["listRoles", "every member of the account, in any role."],
    ["listAccounts", "every caller with a valid credential."],
  ])("says who may call %s", (id, who) => {
    expect(operation(id).description).toContain(`Who may call it: ${who}`);
  });

  it.each([
    [
      "rotateDestinationSecret",
      `the previous one keeps signing until ${limits.previousSecretOverlapHours} hours after the request at the earliest`,
    ],
    ["rotateDestinationSecret", "Do not send a request again whose outcome is unknown"],
    ["createCall", "First look for its effect in `listCalls`, with `startDate` set to the time of the request."],
    ["createDestinationGroup", "may be sent again: if the first one took effect, the second is refused."],
    ["deleteMemberHours", "A request whose outcome is unknown may be sent again."],
    ["listAccounts", "A request whose outcome is unknown may be sent again."],
  ])("says what to do if the response of %s is lost: %s", (id, remedy) => {
    expect(operation(id).description).toContain(remedy);
  });

  it("names under each error response every code of the operation with this status, with its cause", () => {
    const rows = completed["x-error-table"];
    for (const { operation: described } of operationsOf(document))
      for (const code of described["x-error-codes"]) {
        const status = String(rows[code]?.status ?? rows[code]?.mock);
        expect(described.responses[status]?.description).toMatch(new RegExp(`^- \`${code}\`: [A-Z].*\\.$`, "m"));
      }
  });

  it("gives the cause in this operation where the meaning of the code is general", () => {
    const causes = (id: string, status: string) => operation(id).responses[status]?.description;
    expect(causes("rotateDestinationSecret", "400")).toContain(
      "- `bad_request`: The destination is not an `app` destination",
    );
    expect(causes("createDestinationGroup", "400")).toContain("- `bad_request`: The content type is not");
    expect(causes("createCall", "422")).toContain(
      "- `concurrent_call_limit_exceeded`: Does not come from this operation, because a call at the limit is queued",
    );
  });

  it("says beside the header what is signed, with which key, and how old it may be", () => {
    const [header] = Object.values(document.webhooks)[0]?.post.parameters ?? [];
    expect(header?.description).toMatch(
      /HMAC-SHA256.*lower-case hex.*value of `t`, `\.` and the raw bytes.* 300 seconds/,
    );
  });

  it("explains each extension that it has, in one table", () => {
    expect(document.info.description).toContain("| `x-roles` | Who may call the operation.");
    expect(document).not.toHaveProperty("x-extensions");
    const { "x-extensions": meanings = {} } = completed;
    const { "x-idempotency": _, ...others } = meanings;
    const incomplete = () => published({ ...completed, "x-extensions": others });
    expect(incomplete).toThrow(IncompleteDescription);
    expect(incomplete).toThrow(/openapi\/openapi\.yaml:\d+ {2}x-idempotency is not explained/);
  });

  it("writes null, and any text where a list of values is open, as alternatives", () => {
    const { MemberAvailability, CreateDestinationGroupRequest, Role } = document.components.schemas as Record<
      string,
      { properties: Record<string, unknown> }
    >;
    const listed = (...values: string[]) => ({ type: "string", enum: values });
    expect(MemberAvailability?.properties.source).toMatchObject({
      anyOf: [listed("member", "admin", "auto"), { type: "string" }, { type: "null" }],
    });
    expect(CreateDestinationGroupRequest?.properties.strategy).toMatchObject({
      default: "simultaneous",
      anyOf: [listed("simultaneous"), { type: "null" }],
    });
    expect(Role).toMatchObject({ anyOf: [listed("agent", "member", "admin", "owner"), { type: "string" }] });
    const { description: _, ...role } = completed.components.schemas.Role ?? {};
    expect(withPlainEnums(document.components.schemas.Role)).toMatchObject(role);
  });

  it("links each citation to a place that exists", () => {
    const pages = ["specification.md", "assumptions.md"].map((name): [string, ReadonlySet<string>] => [
      new URL(name, document.externalDocs.url).href,
      anchorsIn(readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")),
    ]);
    const anchors = new Map(pages);
    const texts = [...descriptionsIn(document)];
    const links = texts.flatMap((text) => [...text.matchAll(/\]\(([^)#]+)#([^)]+)\)/g)]);
    expect(links.length).toBeGreaterThan(50);
    for (const [, page = "", anchor = ""] of links) expect(anchors.get(page)).toContain(anchor);
    expect(texts.filter((text) => /(?<!\[)§|(?<![[\w])A-\d/.test(text))).toEqual([]);
  });
});
