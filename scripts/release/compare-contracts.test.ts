import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { type Bump, bumpOf, lineOf } from "./change.ts";
import { compareContracts } from "./compare-contracts.ts";
import { contract } from "./contract.fixture.ts";
import { type JsonObject, objectIn } from "./json.ts";

/** One edit: where (names and indexes with spaces between), and what stands there then; nothing when it is taken away. */
type Edit = readonly [where: string, value?: unknown];
type Verdict = readonly [what: string, edits: readonly Edit[], bump: Bump, words: string];

const groups = "paths /groups";
const create = `${groups} post`;
const list = `${groups} get`;
const schema = (name: string) => `components schemas ${name}`;
const request = `${schema("GroupRequest")} properties`;
const group = `${schema("Group")} properties`;
const row = (code: string) => `x-error-table ${code}`;
const changed = "webhooks group.changed post";
const text = { type: "string" };
const operation = { operationId: "dropGroup", security: [], responses: { "204": { description: "Gone." } } };

const verdicts: readonly Verdict[] = [
  // Operations
  [
    "an added operation",
    [[`${groups} delete`, operation]],
    "minor",
    "dropGroup: the operation DELETE /groups was added",
  ],
  ["a removed operation", [[list]], "major", "listGroups: the operation GET /groups was removed"],
  ["a renamed operation", [[`${list} operationId`, "findGroups"]], "major", "listGroups: was renamed to findGroups"],
  [
    "a moved operation",
    [["paths /health"], ["paths /healthy", contract.paths["/health"]]],
    "major",
    "moved from GET /health to GET /healthy",
  ],
  ["a renamed SDK method", [[`${create} x-sdk method`, "add"]], "major", "createGroup: x-sdk"],
  ["a deprecated operation", [[`${list} deprecated`, true]], "minor", "listGroups: deprecated nothing is now true"],
  ["a reworded summary", [[`${list} summary`, "Lists groups"]], "patch", "listGroups: its summary was reworded"],
  ["a new mark that has no rule", [[`${list} x-colour`, "red"]], "major", 'x-colour nothing is now "red"'],
  [
    "a role that may call it too",
    [[`${create} x-roles`, ["owner", "admin", "agent"]]],
    "minor",
    "the role agent was added",
  ],
  ["a role that may no longer call it", [[`${create} x-roles`, ["owner"]]], "major", "the role admin was removed"],
  ["another scope", [[`${create} x-scope`, "people:write"]], "major", "createGroup: x-scope"],
  ["an account that must be named", [[`${list} x-account-scoped`, true]], "major", "listGroups: x-account-scoped"],
  [
    "an error code it may answer",
    [[`${create} x-error-codes 2`, "name_odd"]],
    "minor",
    "the error code name_odd was added",
  ],
  [
    "an error code it no longer answers",
    [[`${create} x-error-codes`, ["name_kept"]]],
    "major",
    "the error code name_lost was removed",
  ],
  ["a retry class that promises more", [[`${create} x-retry`, "safe"]], "minor", "createGroup: x-retry"],
  ["a retry class that promises less", [[`${create} x-retry`, "once"]], "major", "createGroup: x-retry"],
  ["a GET that may no longer be sent again", [[`${list} x-retry`, "once"]], "major", "listGroups: x-retry"],
  ["paging taken away", [[`${list} x-paging`]], "major", "listGroups: x-paging"],
  // Access
  ["access that is no longer granted", [[`${list} security 1`]], "major", 'access by {"key":[]} was removed'],
  [
    "access that is granted too",
    [[`${create} security`, [{ bearer: [] }, { key: [] }]]],
    "minor",
    'access by {"key":[]} was added',
  ],
  [
    "a credential where none was needed",
    [["paths /health get security", [{ bearer: [] }]]],
    "major",
    "health: now needs a credential",
  ],
  [
    "another kind of credential",
    [["components securitySchemes bearer scheme", "basic"]],
    "major",
    "security scheme bearer",
  ],
  [
    "a credential's description",
    [["components securitySchemes bearer description", "Yours."]],
    "patch",
    "security scheme bearer: was reworded",
  ],
  // Parameters
  [
    "an optional parameter",
    [[`${list} parameters 2`, { name: "state", in: "query", schema: text }]],
    "minor",
    "query parameter state: was added",
  ],
  [
    "a required parameter",
    [[`${list} parameters 2`, { name: "state", in: "query", required: true, schema: text }]],
    "major",
    "was added, and is required",
  ],
  ["a removed parameter", [[`${list} parameters 0`]], "major", "query parameter limit: was removed"],
  [
    "a parameter that becomes required",
    [[`${list} parameters 0 required`, true]],
    "major",
    "query parameter limit: is now required",
  ],
  [
    "a parameter that becomes optional",
    [[`${list} parameters 1 required`, false]],
    "minor",
    "query parameter since: is now optional",
  ],
  [
    "a shared header that becomes required",
    [["components parameters Account required", true]],
    "major",
    "header parameter x-account: is now required",
  ],
  [
    "a header spelled in other letter case",
    [["components parameters Account name", "x-ACCOUNT"]],
    "patch",
    "something that no operation refers to",
  ],
  [
    "a parameter's limit tightened",
    [[`${list} parameters 0 schema maximum`, 50]],
    "major",
    "limit tightened: maximum 100 is now 50",
  ],
  ["a parameter's default changed", [[`${list} parameters 0 schema default`, 10]], "major", "default 20 is now 10"],
  ["a parameter's style changed", [[`${list} parameters 0 style`, "deepObject"]], "major", "style nothing is now"],
  // What customers send
  [
    "an optional request field",
    [[`${request} colour`, text]],
    "minor",
    "GroupRequest.colour: an optional field was added (sent to createGroup)",
  ],
  [
    "a required request field",
    [
      [`${request} colour`, text],
      [`${schema("GroupRequest")} required 1`, "colour"],
    ],
    "major",
    "GroupRequest.colour: a required field was added",
  ],
  [
    "optional to required in a request",
    [[`${schema("GroupRequest")} required 1`, "note"]],
    "major",
    "GroupRequest.note: is now required",
  ],
  [
    "required to optional in a request",
    [[`${schema("GroupRequest")} required`, []]],
    "minor",
    "GroupRequest.name: is now optional",
  ],
  ["a removed request field", [[`${request} note`]], "major", "GroupRequest.note: the field was removed"],
  [
    "a renamed request field",
    [[`${request} note`], [`${request} remark`, { type: ["string", "null"] }]],
    "major",
    "GroupRequest.note: the field was removed",
  ],
  [
    "nullable dropped in a request",
    [[`${request} note type`, "string"]],
    "major",
    "GroupRequest.note: may no longer be null",
  ],
  [
    "nullable added in a request",
    [[`${request} name type`, ["string", "null"]]],
    "minor",
    "GroupRequest.name: may now be null",
  ],
  [
    "an upper limit tightened in a request",
    [[`${request} name maxLength`, 80]],
    "major",
    "limit tightened: maxLength 100 is now 80",
  ],
  [
    "a lower limit tightened in a request",
    [[`${request} size minimum`, 10]],
    "major",
    "limit tightened: minimum 5 is now 10",
  ],
  ["a limit loosened in a request", [[`${request} size maximum`, 90]], "minor", "limit loosened: maximum 60 is now 90"],
  [
    "a limit where none was",
    [[`${request} phone maxLength`, 16]],
    "major",
    "limit tightened: maxLength none is now 16",
  ],
  ["a limit taken away", [[`${request} name maxLength`]], "minor", "limit loosened: maxLength 100 is now none"],
  ["a coarser step", [[`${request} step multipleOf`, 10]], "major", "limit tightened: multipleOf 5 is now 10"],
  ["another step", [[`${request} step multipleOf`, 7]], "major", "which no rule can weigh"],
  ["a default changed", [[`${request} size default`, 20]], "major", "default 30 is now 20"],
  ["a default taken away", [[`${request} size default`]], "major", "default 30 is now none"],
  ["a default where none was", [[`${request} ring default`, "apart"]], "minor", "default apart was added"],
  ["an enum value added in a request", [[`${request} ring enum 2`, "never"]], "minor", 'value "never" was added'],
  [
    "an enum value removed in a request",
    [[`${request} ring enum`, ["apart"]]],
    "major",
    'value "together" was removed',
  ],
  ["text narrowed to listed values", [[`${request} phone enum`, ["+1", "+2"]]], "major", "narrowed to the values"],
  ["another pattern", [[`${request} phone pattern`, "^[0-9]+$"]], "major", "GroupRequest.phone: pattern"],
  [
    "a format where none was",
    [[`${request} name format`, "email"]],
    "major",
    "limit tightened: format none is now email",
  ],
  [
    "an integer that may be a fraction",
    [[`${request} step type`, "number"]],
    "minor",
    "widened: type integer is now number",
  ],
  [
    "text that must be a number",
    [[`${request} note type`, ["number", "null"]]],
    "major",
    "changed: type string is now number",
  ],
  [
    "a limit on a list's items",
    [[`${request} tags items maxLength`, 10]],
    "major",
    "GroupRequest.tags[]: limit tightened",
  ],
  ["fewer items in a list", [[`${request} tags maxItems`, 5]], "major", "GroupRequest.tags: limit tightened: maxItems"],
  ["items that must differ", [[`${request} tags uniqueItems`, true]], "major", "limit tightened: uniqueItems"],
  [
    "a required field deep inside",
    [[`${schema("Person")} required 1`, "email"]],
    "major",
    "Person.email: is now required (sent to createGroup)",
  ],
  [
    "a field required beside allOf",
    [[`${request} owner allOf 1 required`, ["email", "boss"]]],
    "major",
    "GroupRequest.owner.boss: is now required",
  ],
  [
    "a schema swapped for one in place",
    [
      [
        `${request} people items`,
        {
          type: "object",
          required: ["id", "email"],
          properties: { id: text, email: text, boss: {} },
          additionalProperties: false,
        },
      ],
    ],
    "major",
    "GroupRequest.people[].email: is now required",
  ],
  [
    "an alternative that may be sent too",
    [[`${request} target oneOf 2`, { $ref: `#/components/schemas/Member` }]],
    "minor",
    "the alternative Member was added",
  ],
  [
    "an alternative that may no longer be sent",
    [[`${request} target oneOf 1`]],
    "major",
    "the alternative ToServer was removed",
  ],
  [
    "a required field of an alternative",
    [[`${schema("ToPhone")} required 1`, "number"]],
    "major",
    "ToPhone.number: is now required",
  ],
  [
    "further request fields refused",
    [[`${schema("GroupRequest")} additionalProperties`, false]],
    "major",
    "further fields are refused now",
  ],
  [
    "further request fields allowed",
    [[`${schema("Person")} additionalProperties`, true]],
    "minor",
    "further fields are allowed now",
  ],
  [
    "another type of further fields",
    [[`${request} settings additionalProperties type`, "number"]],
    "major",
    "GroupRequest.settings.*: changed: type",
  ],
  [
    "a body that may be left out",
    [[`${create} requestBody required`, false]],
    "minor",
    "createGroup body: is now optional",
  ],
  [
    "a body where none was",
    [[`${list} requestBody`, { required: true, content: {} }]],
    "major",
    "listGroups body: was added, and is required",
  ],
  [
    "a media type no longer taken",
    [[`${create} requestBody content`, { "text/plain": { schema: text } }]],
    "major",
    "media type application/json was removed",
  ],
  [
    "a keyword without a rule",
    [[`${request} name x-shape`, "round"]],
    "major",
    "x-shape none is now round, which no rule can weigh",
  ],
  // What customers receive
  [
    "an optional response field",
    [[`${group} colour`, text]],
    "minor",
    "Group.colour: an optional field was added (received from listGroups (200), received from createGroup (201))",
  ],
  [
    "a required response field",
    [
      [`${group} colour`, text],
      [`${schema("Group")} required 3`, "colour"],
    ],
    "minor",
    "Group.colour: a required field was added",
  ],
  ["a removed response field", [[`${group} until`]], "major", "Group.until: the field was removed"],
  [
    "required to optional in a response",
    [[`${schema("Group")} required`, ["id", "name"]]],
    "major",
    "Group.size: is now optional",
  ],
  [
    "optional to required in a response",
    [[`${schema("Group")} required 3`, "until"]],
    "minor",
    "Group.until: is now required",
  ],
  [
    "nullable added in a response",
    [[`${group} size type`, ["integer", "null"]]],
    "major",
    "Group.size: may now be null",
  ],
  [
    "nullable dropped in a response",
    [[`${group} until type`, "string"]],
    "minor",
    "Group.until: may no longer be null",
  ],
  [
    "nullable dropped from a reference",
    [[`${group} details`, { $ref: "#/components/schemas/Details" }]],
    "minor",
    "may no longer be null",
  ],
  [
    "an enum value added to an open list in a response",
    [[`${group} kind enum 2`, "beyond"]],
    "minor",
    'Group.kind: value "beyond" was added',
  ],
  [
    "an enum value added to a closed list in a response",
    [[`${group} state enum 2`, "idle"]],
    "major",
    'Group.state: value "idle" was added to a closed list',
  ],
  [
    "an enum value removed in a response",
    [[`${group} kind enum`, ["near"]]],
    "major",
    'Group.kind: value "far" was removed',
  ],
  ["an open list that is closed", [[`${group} kind x-open-enum`]], "major", "its list of values is now closed"],
  ["a closed list that is opened", [[`${group} state x-open-enum`, true]], "major", "its list of values is now open"],
  ["a limit loosened in a response", [[`${group} size maximum`, 90]], "major", "Group.size: limit loosened"],
  ["a limit tightened in a response", [[`${group} size maximum`, 50]], "minor", "Group.size: limit tightened"],
  [
    "a format dropped in a response",
    [[`${group} until format`]],
    "major",
    "limit loosened: format date-time is now none",
  ],
  [
    "an integer that becomes a number in a response",
    [[`${group} size type`, "number"]],
    "major",
    "widened: type integer is now number",
  ],
  [
    "a number that becomes an integer in a response",
    [[`${schema("Member")} properties order type`, "integer"]],
    "minor",
    "Member.order: narrowed",
  ],
  [
    "a field of a list's items removed",
    [[`${schema("Member")} properties order`]],
    "major",
    "Member.order: the field was removed",
  ],
  [
    "an alternative that may be received too",
    [[`${group} target anyOf 3`, { $ref: "#/components/schemas/Member" }]],
    "major",
    "the alternative Member was added",
  ],
  [
    "an alternative that no longer comes",
    [[`${group} target anyOf`, [{ $ref: "#/components/schemas/ToPhone" }, { type: "null" }]]],
    "major",
    "the alternative ToServer was removed",
  ],
  [
    "open fields of a response closed",
    [[`${schema("Details")} additionalProperties`, false]],
    "major",
    "Details: further fields are refused now",
  ],
  ["a default named in a response", [[`${group} size default`, 30]], "patch", "Group.size: default"],
  [
    "a success status added",
    [[`${create} responses 202`, { description: "Later." }]],
    "major",
    "createGroup 202: the status was added",
  ],
  [
    "an error status added beside a default",
    [[`${create} responses 409`, { description: "Kept." }]],
    "minor",
    "createGroup 409: the status was added",
  ],
  [
    "an error status added where no default is",
    [[`${list} responses 409`, { description: "Kept." }]],
    "major",
    "listGroups 409: the status was added",
  ],
  ["a status removed", [[`${create} responses 400`]], "major", "createGroup 400: the status was removed"],
  [
    "a response header added",
    [[`${create} responses 201 headers ETag`, { schema: text }]],
    "minor",
    "createGroup 201 header ETag: was added",
  ],
  [
    "a response header removed",
    [[`${create} responses 201 headers X-Request-Id`]],
    "major",
    "header X-Request-Id: was removed",
  ],
  [
    "a response header no longer sure to come",
    [[`${create} responses 201 headers X-Request-Id required`, false]],
    "major",
    "header X-Request-Id: is now optional",
  ],
  [
    "a body that no longer comes",
    [[`${create} responses 201 content`]],
    "major",
    "media type application/json was removed",
  ],
  // Webhooks turn the directions around
  [
    "a webhook's field added",
    [
      [`${schema("GroupChanged")} properties by`, text],
      [`${schema("GroupChanged")} required 1`, "by"],
    ],
    "minor",
    "GroupChanged.by: a required field was added (received from groupChanged)",
  ],
  [
    "a webhook's field that may be missing",
    [[`${schema("GroupChanged")} required`, []]],
    "major",
    "GroupChanged.type: is now optional",
  ],
  [
    "a webhook's header that may be missing",
    [[`${changed} parameters 0 required`, false]],
    "major",
    "header parameter signature: is now optional",
  ],
  [
    "a webhook's header added",
    [[`${changed} parameters 1`, { name: "Sent-At", in: "header", required: true, schema: text }]],
    "minor",
    "header parameter sent-at: was added",
  ],
  ["another signature", [[`${changed} x-signature toleranceSecs`, 60]], "major", "groupChanged: x-signature"],
  [
    "another answer that a webhook takes",
    [[`${changed} responses 4XX`, { description: "Declined." }]],
    "minor",
    "groupChanged 4XX: the status was added",
  ],
  [
    "a webhook added",
    [["webhooks group.gone", { post: { ...operation, operationId: "groupGone" } }]],
    "minor",
    "groupGone: the operation POST group.gone was added",
  ],
  // Codes and limits
  [
    "an error code added",
    [
      [`${row("name_new")}`, { status: 409, group: "Names" }],
      [`${schema("Problem")} properties code enum 2`, "name_new"],
    ],
    "minor",
    "error code name_new: was added",
  ],
  ["an error code removed", [[row("name_odd")]], "major", "error code name_odd: was removed"],
  [
    "an error code's status changed",
    [[`${row("name_lost")} status`, 410]],
    "major",
    "error code name_lost: status 404 is now 410",
  ],
  [
    "an error code's first status",
    [[`${row("name_odd")} status`, 400]],
    "minor",
    "error code name_odd: status nothing is now 400",
  ],
  [
    "an error code that leaves nothing behind",
    [[`${row("name_lost")} effect`, "none"]],
    "minor",
    "error code name_lost: effect",
  ],
  [
    "an error code that may leave something behind",
    [[`${row("name_kept")} effect`]],
    "major",
    "error code name_kept: effect",
  ],
  [
    "an error code's meaning reworded",
    [[`${row("name_kept")} meaning`, "It was kept."]],
    "patch",
    "error code name_kept: meaning",
  ],
  ["a limit of the document changed", [["x-limits overlapHours", 12]], "major", "limit overlapHours: 24 is now 12"],
  ["a limit of the document added", [["x-limits hintLength", 4]], "minor", "limit hintLength: was added"],
  // Words
  [
    "a field's description",
    [[`${request} name description`, "Unique per account."]],
    "patch",
    "GroupRequest.name: its description was reworded",
  ],
  [
    "an example",
    [[`${create} responses 201 content application/json examples one value`, { id: "1" }]],
    "patch",
    "createGroup 201: its examples changed",
  ],
  ["the document's title", [["info title", "Teams"]], "patch", "info: was reworded"],
  ["a server's address", [["servers 0 url", "http://127.0.0.1:2"]], "major", "server http://127.0.0.1:1: was removed"],
  ["a part of the document without a rule", [["x-pace", 3]], "major", "x-pace: changed, and no rule can weigh it"],
  [
    "a schema that nothing refers to",
    [[schema("Unused"), text]],
    "patch",
    "something that no operation refers to changed",
  ],
];

function edited(edits: readonly Edit[]): JsonObject {
  const copy = structuredClone(contract) as unknown as Record<string, unknown>;
  for (const [where, value] of edits) {
    const steps = where.split(" ");
    const last = steps.pop() ?? "";
    const holder = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
    if (value === undefined && !(last in holder)) throw new Error(`nothing stands at ${where}`);
    if (value !== undefined) holder[last] = value;
    else if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return copy;
}

describe("the least bump that an edit of the contract may carry", () => {
  it.each(verdicts)("%s", (_, edits, bump, words) => {
    const found = compareContracts(contract, edited(edits));
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("knows at least forty edits by heart", () => {
    expect(verdicts.length).toBeGreaterThanOrEqual(40);
  });

  it("is none where nothing changed, also when keys stand in another order", () => {
    const turned = Object.fromEntries(Object.entries(structuredClone(contract)).reverse());
    expect(compareContracts(contract, turned)).toEqual([]);
  });

  it("is the largest one of several edits, told from the largest on", () => {
    const found = compareContracts(contract, edited([[`${group} colour`, text], [`${request} note`]]));
    expect(found.map(({ bump }) => bump)).toEqual(["major", "minor"]);
  });

  it("tells a change in a shared schema once, with the places where customers meet it", () => {
    const [found, ...others] = compareContracts(
      contract,
      edited([[`${schema("Problem")} properties code enum 2`, "name_new"]]),
    );
    expect(others).toEqual([]);
    expect(found?.met).toHaveLength(3);
  });
});

/** Edits that an earlier, unusual state has to come before: `[what, where, before, after, bump, words]`. */
const turns: readonly (readonly [string, string, unknown, unknown, Bump, string])[] = [
  [
    "a field beside alternatives that goes",
    `${group} shape`,
    { type: "object", properties: { a: text }, oneOf: [{ required: ["a"] }, { type: "object", minProperties: 2 }] },
    { type: "object", oneOf: [{ required: ["a"] }, { type: "object", minProperties: 2 }] },
    "major",
    "Group.shape.a: the field was removed",
  ],
  [
    "a limit beside alternatives",
    `${request} shape`,
    { maxLength: 9, anyOf: [{ type: "string" }, { type: "number" }] },
    { maxLength: 8, anyOf: [{ type: "string" }, { type: "number" }] },
    "major",
    "GroupRequest.shape: limit tightened: maxLength 9 is now 8",
  ],
  [
    "a discriminator that goes",
    `${group} shape`,
    { oneOf: [{ type: "object" }, { type: "string" }], discriminator: { propertyName: "kind" } },
    { oneOf: [{ type: "object" }, { type: "string" }] },
    "major",
    "Group.shape: discriminator",
  ],
  [
    "an alternative of the same type as another",
    `${group} shape`,
    {
      oneOf: [
        { type: "string", pattern: "^a" },
        { type: "string", pattern: "^b" },
      ],
    },
    {
      oneOf: [
        { type: "string", pattern: "^a" },
        { type: "string", pattern: "^b" },
        { type: "string", pattern: "^c" },
      ],
    },
    "major",
    "Group.shape: the alternative string (3) was added",
  ],
  [
    "a limit that comes along with a choice",
    `${request} shape`,
    text,
    { maxLength: 9, anyOf: [text, { type: "number" }] },
    "major",
    "GroupRequest.shape: limit tightened: maxLength none is now 9",
  ],
  [
    "a choice where there was none",
    `${request} shape`,
    text,
    { anyOf: [text, { type: "number" }] },
    "minor",
    "GroupRequest.shape: the alternative number was added",
  ],
  [
    "a field demanded that the schema does not describe",
    `${request} shape`,
    { type: "object" },
    { type: "object", required: ["colour"] },
    "major",
    "GroupRequest.shape.colour: is now required",
  ],
  [
    "servers of one path",
    `${groups} servers`,
    [{ url: "http://127.0.0.1:3" }],
    [{ url: "http://127.0.0.1:4" }],
    "major",
    "/groups: servers",
  ],
];

describe("what stands in the corner of an eye", () => {
  it.each(turns)("%s", (_, where, before, after, bump, words) => {
    const found = compareContracts(edited([[where, before]]), edited([[where, after]]));
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("takes a path's description for words", () => {
    const found = compareContracts(contract, edited([[`${groups} description`, "Sets."]]));
    expect(found.map(lineOf)).toEqual(["patch  /groups: its description was reworded"]);
  });
});

describe("the contract itself", () => {
  /** The document with a keyword's texts changed wherever it stands for itself, as opposed to a field of that name. */
  const reworded = (keyword: string): JsonObject =>
    JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === keyword && typeof value === "string" ? `${value} Reworded.` : value,
    ) as JsonObject;

  it.each(["description", "summary", "x-assumption", "meaning"])(
    "takes a patch when every %s is reworded",
    (keyword) => {
      expect(bumpOf(compareContracts(document, reworded(keyword)))).toBe("patch");
    },
  );

  it("takes a minor for one optional response field, told once, where customers meet it", () => {
    const copy = structuredClone(document);
    Object.assign(copy.components.schemas.MemberAvailability.properties, { note: text });
    expect(compareContracts(document, copy).map(lineOf)).toEqual([
      "minor  MemberAvailability.note: an optional field was added (received from getMemberAvailability (200))",
    ]);
  });

  it("takes a major for the first field of any schema that goes", () => {
    for (const [name, described] of Object.entries(document.components.schemas)) {
      const [field] = Object.keys("properties" in described ? described.properties : {});
      if (!field) continue;
      const without = JSON.parse(JSON.stringify(document)) as typeof document;
      const { properties } = objectIn(objectIn(without.components.schemas)[name]);
      Reflect.deleteProperty(objectIn(properties), field);
      expect(bumpOf(compareContracts(document, without)), `${name}.${field}`).toBe("major");
    }
  });
});
