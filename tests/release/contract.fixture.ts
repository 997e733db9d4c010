// A small contract with one of everything that the comparison weighs.
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({ "application/json": { schema: reference(name), examples: { one: { value: {} } } } });
const problem = { description: "An error.", content: json("Problem") };

export const contract = {
  openapi: "3.1.0",
  info: { title: "Groups", version: "1.0.0", description: "Sets of people." },
  servers: [{ url: "http://127.0.0.1:1", description: "The mock server" }],
  security: [{ bearer: [] }],
  "x-limits": { overlapHours: 24 },
  paths: {
    "/groups": {
      parameters: [{ $ref: "#/components/parameters/Account" }],
      post: {
        operationId: "createGroup",
        summary: "Create a group",
        "x-sdk": { resource: "groups", method: "create" },
        "x-roles": ["owner", "admin"],
        "x-scope": "groups:write",
        "x-account-scoped": true,
        "x-idempotency": "conflict_safe",
        "x-error-codes": ["name_lost", "name_kept"],
        requestBody: { required: true, content: json("GroupRequest") },
        responses: {
          "201": {
            description: "The new group.",
            headers: { "X-Request-Id": { required: true, schema: { type: "string" } } },
            content: json("Group"),
            links: { all: { operationId: "listGroups", description: "Every group." } },
          },
          "400": problem,
          default: problem,
        },
      },
      get: {
        operationId: "listGroups",
        summary: "List groups",
        "x-account-scoped": false,
        security: [{ bearer: [] }, { key: [] }],
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
          { name: "since", in: "query", required: true, schema: { type: "string", format: "date-time" } },
        ],
        "x-pagination": { items: "groups" },
        responses: { "200": { description: "Groups.", content: json("GroupList") }, "404": problem },
      },
    },
    "/health": { get: { operationId: "health", security: [], responses: { "204": { description: "Well." } } } },
  },
  webhooks: {
    "group.changed": {
      post: {
        operationId: "groupChanged",
        security: [],
        "x-signature": { algorithm: "HMAC-SHA256", toleranceSecs: 300 },
        parameters: [{ name: "Signature", in: "header", required: true, schema: { type: "string" } }],
        requestBody: { required: true, content: json("GroupChanged") },
        responses: { "2XX": { description: "Taken." } },
      },
    },
  },
  components: {
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer", description: "A token." },
      key: { type: "apiKey", in: "header", name: "Key" },
    },
    parameters: { Account: { name: "X-Account", in: "header", required: false, schema: { type: "string" } } },
    schemas: {
      GroupRequest: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, maxLength: 100, description: "Unique." },
          note: { type: ["string", "null"] },
          size: { type: ["integer", "null"], minimum: 5, maximum: 60, default: 30 },
          step: { type: "integer", multipleOf: 5 },
          ring: { type: "string", enum: ["together", "apart"] },
          phone: { type: "string", pattern: "^\\+[0-9]+$" },
          tags: { type: "array", minItems: 1, maxItems: 10, items: { type: "string", maxLength: 20 } },
          people: { type: "array", items: reference("Person") },
          target: { oneOf: [reference("ToPhone"), reference("ToServer")] },
          owner: { allOf: [reference("Person"), { required: ["email"] }] },
          settings: { type: "object", additionalProperties: { type: "string" } },
        },
        additionalProperties: true,
      },
      Person: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, email: { type: "string" }, boss: reference("Person") },
        additionalProperties: false,
      },
      ToPhone: {
        type: "object",
        required: ["type"],
        properties: { type: { const: "phone" }, number: { type: "string" } },
      },
      ToServer: {
        type: "object",
        required: ["type"],
        properties: { type: { const: "server" }, url: { type: "string" } },
      },
      Group: {
        type: "object",
        required: ["id", "name", "size"],
        properties: {
          id: { type: "string" },
          name: { type: "string", minLength: 1, maxLength: 100 },
          size: { type: "integer", minimum: 5, maximum: 60 },
          kind: { type: "string", enum: ["near", "far"], "x-open-enum": true },
          state: { type: "string", enum: ["on", "off"] },
          until: { type: ["string", "null"], format: "date-time" },
          members: { type: "array", items: reference("Member") },
          target: { anyOf: [reference("ToPhone"), reference("ToServer"), { type: "null" }] },
          details: { anyOf: [reference("Details"), { type: "null" }] },
        },
      },
      Details: { type: "object", properties: { colour: { type: "string" } }, additionalProperties: true },
      Member: { type: "object", required: ["id"], properties: { id: { type: "string" }, order: { type: "number" } } },
      GroupList: {
        type: "object",
        required: ["groups"],
        properties: { groups: { type: "array", items: reference("Group") } },
      },
      GroupChanged: {
        type: "object",
        required: ["type"],
        properties: { type: { const: "group.changed" }, at: { type: "string" } },
      },
      Problem: {
        type: "object",
        required: ["code"],
        properties: { code: { type: "string", enum: ["name_lost", "name_kept"], "x-open-enum": true } },
      },
    },
  },
  "x-field-error-table": { too_long: { meaning: "Too long." }, required: { meaning: "Missing." } },
  "x-error-table": {
    name_lost: { status: 404, group: "Names", meaning: "Lost." },
    name_kept: { status: 409, group: "Names", meaning: "Kept.", effect: "none" },
    name_odd: { group: "Names", meaning: "Odd." },
  },
};
