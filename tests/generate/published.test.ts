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
  it("has no two names of which a generator makes one file, also of a tag of paths and one of webhooks", () => {
    const tags = [document.paths, document.webhooks].flatMap((items) => [
      ...new Set(tagged(items).flatMap((one) => one.tags)),
    ]);
    const operations = [...tagged(document.paths), ...tagged(document.webhooks)].map((one) => one.operationId);
    for (const names of [
      tags,
      document.tags.map(({ name }) => name),
      Object.keys(document.components.schemas),
      operations,
    ]) {
      const files = names.map(fileName);
      expect(files.filter((name, index) => files.indexOf(name) !== index)).toEqual([]);
    }
  });

  it("lists every tag that it uses, and uses every tag that it lists", () => {
    const used = [...tagged(document.paths), ...tagged(document.webhooks)].flatMap(({ tags }) => tags);
    expect(new Set(used)).toEqual(new Set(document.tags.map(({ name }) => name)));
  });

  it.each([
    [
      "rotateDestinationSecret",
      "Who may call it: the roles `owner` and `admin` of the account. An API key needs the scope",
    ],
    ["deleteMemberHours", "the roles `owner` and `admin` of the account, and the member in the path."],
    ["listAccounts", "Who may call it: every caller with a valid credential."],
    ["rotateDestinationSecret", `until ${limits.previousSecretOverlapHours} hours after the request at the earliest`],
    ["createCall", "First look for its effect in `listCalls`, with `startDate` set to the time of the request."],
    ["createDestinationGroup", "may be sent again: if the first one took effect, the second is refused."],
  ])("says who may call %s, or what to do if its response is lost: %s", (id, words) => {
    expect(operation(id).description).toContain(words);
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
    expect(operation("rotateDestinationSecret").responses["400"]?.description).toContain(
      "- `bad_request`: The destination is not an `app` destination",
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
    const { MemberAvailability, CreateDestinationGroupRequest } = document.components.schemas as Record<
      string,
      { properties: Record<string, unknown> }
    >;
    const listed = (...values: string[]) => ({ type: "string", enum: values });
    expect(MemberAvailability?.properties.source).toMatchObject({
      anyOf: [listed("member", "admin", "auto"), { type: "string" }, { type: "null" }],
    });
    expect(CreateDestinationGroupRequest?.properties.strategy).toMatchObject({
      anyOf: [listed("simultaneous"), { type: "null" }],
    });
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
