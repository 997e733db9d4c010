// Compares the bundled contract with what src/facts/ says of the specification.

import { isObject, memberOf, omitUndefined, valueAt } from "../src/document/json.ts";
import * as codeFacts from "../src/facts/codes.ts";
import { apiPath, authentication, contentType, headers, limitSections, limits, webhook } from "../src/facts/limits.ts";
import { type AnswerFact, answers, type OperationFact, operations } from "../src/facts/operations.ts";
import { type FieldFact, type ResourceFact, resources } from "../src/facts/resources.ts";

/** The parts of a schema that are compared. */
interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly "x-beyond-specification"?: boolean;
  readonly "x-returned-by"?: readonly string[];
}

/** A row of the table of codes. */
interface CodeNode {
  readonly group: string;
  readonly status?: number;
  readonly stated?: boolean;
  readonly errors?: boolean;
}
interface ParameterNode {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: SchemaNode;
  readonly example?: unknown;
  readonly description?: string;
}
/** Bodies by content type. */
type ContentNode = Readonly<Record<string, { readonly schema: SchemaNode }>>;
interface ResponseNode {
  readonly headers?: Readonly<Record<string, { readonly schema?: SchemaNode }>>;
  readonly content?: ContentNode;
}
interface OperationNode {
  readonly operationId: string;
  readonly servers?: unknown;
  readonly "x-roles": readonly string[];
  readonly "x-error-codes": readonly string[];
  readonly "x-idempotency"?: string;
  readonly "x-beyond-specification"?: boolean;
  readonly parameters?: readonly ParameterNode[];
  readonly requestBody?: { readonly required?: boolean; readonly content: ContentNode };
  readonly responses: Readonly<Record<string, ResponseNode>>;
}
interface WebhookNode {
  readonly "x-signature": object;
  readonly parameters?: readonly ParameterNode[];
  readonly requestBody?: { readonly content: ContentNode };
}

/** The parts of the bundled OpenAPI document that the facts speak about. */
export interface ContractDocument {
  readonly servers?: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookNode }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { type: string; scheme?: string; description?: string }>>;
  };
  readonly "x-limits": Readonly<Record<string, unknown>>;
  readonly "x-error-table": Readonly<Record<string, CodeNode>>;
  readonly "x-field-error-table": Readonly<Record<string, Pick<CodeNode, "stated">>>;
}

/** Whether a keyword is an extension of this project, which restricts no value. */
const isExtension = (keyword: string): boolean => keyword.startsWith("x-");

/** Whether a node of the document says that the specification does not have it, or leaves it open. */
const isMarked = (node: unknown): boolean =>
  memberOf(node, "x-beyond-specification") === true || typeof memberOf(node, "x-assumption") === "string";

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
const listOf = (values: readonly (string | number)[]): string => values.join(", ") || "none";

const methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];
const parameterKeywords = ["name", "in", "required", "description", "deprecated", "example", "examples", "schema"];
/** Keywords that restrict a value to a range or a length, or replace an absent one. */
const limitKeywords = [
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default"],
];
/** Keywords that restrict nothing. */
const annotations = ["title", "description", "example", "examples", "deprecated", "$comment", "externalDocs"];
/** Keywords that are compared. A value of `additionalProperties` other than true restricts the object. */
const comparedKeywords = [
  ...["type", "format", "enum", "const", "pattern", "properties", "required", "items"],
  ...limitKeywords,
];

/** The keywords that the comparison reads in a schema. */
function known(node: SchemaNode): readonly string[] {
  // The comparison follows a reference and skips what stands beside it.
  if (node.$ref !== undefined) return ["$ref"];
  const { anyOf, additionalProperties } = node;
  if (anyOf) return anyOf.filter(({ type }) => type !== "null").length === 1 ? ["anyOf"] : [];
  return additionalProperties === true ? [...comparedKeywords, "additionalProperties"] : comparedKeywords;
}

/** Whether a schema without alternatives allows null: its type does, and its values do. */
const admitsNull = ({ type, enum: values, const: only }: SchemaNode): boolean =>
  [type].flat().includes("null") && (values?.includes(null) ?? true) && (only === undefined || only === null);

const typeOf = ({ type }: SchemaNode): string =>
  [type]
    .flat()
    .filter((one) => one !== "null")
    .join(" or ");

/** A schema with what its place says of it. */
interface Member {
  readonly schema: SchemaNode;
  readonly required: boolean;
}

/** Whether a section gives a code to an operation. */
function isAnswerOf({ by }: AnswerFact, name: string, { accountScoped, body, path }: OperationFact): boolean {
  if (by === "account-scoped operations") return accountScoped;
  if (by === "operations with a body") return body !== null;
  if (by === "operations with an id in the path") return Object.keys(path).length > 0;
  return by === "every operation" || by === name;
}

/** Collects a sentence for each difference between a document and the facts. */
class Comparison {
  readonly sentences = new Set<string>();
  readonly #document: ContractDocument;
  /** Codes beyond the specification, with the status of error codes. */
  readonly #markedCodes: ReadonlyMap<string, number | undefined>;
  /** The pairs of schemas and resources that are compared already. */
  readonly #compared = new Set<string>();

  constructor(document: ContractDocument) {
    this.#document = document;
    const statuses = Object.entries(document["x-error-table"]).map(([code, row]) => [code, row, row.status] as const);
    const fields = Object.entries(document["x-field-error-table"]).map(
      ([code, row]) => [code, row, undefined] as const,
    );
    this.#markedCodes = new Map(
      [...statuses, ...fields].flatMap(([code, row, status]) => (isMarked(row) ? [[code, status] as const] : [])),
    );
  }

  /** A difference: what stands in the contract, and what the section does. */
  #wrong(found: string, section: string, clause: string): void {
    const remedy = "Correct openapi/, or packages/contract/src/facts/ if the specification changed.";
    this.sentences.add(`openapi/: ${found}; ${section} ${clause}. ${remedy}`);
  }

  /** Something in the contract that the specification does not have. */
  #beyond(what: string): void {
    this.sentences.add(
      `openapi/: ${what} is not in the specification. Remove it, or mark it x-beyond-specification: true.`,
    );
  }

  /** Compares members of an object with those that are stated. One that is stated as undefined must be absent. */
  #same(place: string, section: string, found: object, stated: object): void {
    for (const [name, value] of Object.entries(stated)) {
      const is: unknown = Reflect.get(found, name);
      if (shown(is) !== shown(value)) this.#wrong(`${place} has ${name} ${shown(is)}`, section, `says ${shown(value)}`);
    }
  }

  /** Every stated name is there, and no other one without a mark. Returns the stated ones that are there. */
  #names<Fact, Node>(
    nameOf: (name: string) => string,
    section: string,
    found: Readonly<Record<string, Node>>,
    stated: Readonly<Record<string, Fact>>,
  ): [name: string, node: Node, fact: Fact][] {
    for (const [name, node] of Object.entries(found))
      if (!Object.hasOwn(stated, name) && !isMarked(node)) this.#beyond(nameOf(name));
    return Object.entries(stated).flatMap(([name, fact]) => {
      const node = found[name];
      if (node !== undefined) return [[name, node, fact] as [string, Node, Fact]];
      this.#wrong(`${nameOf(name)} is missing`, section, "has it");
      return [];
    });
  }

  /** Follows the references of a node. */
  #resolve<Node>(node: Node): Node {
    let found: unknown = node;
    while (isObject(found) && typeof found.$ref === "string")
      found = valueAt(this.#document, found.$ref.split("/").slice(1));
    return (found ?? {}) as Node;
  }

  codes(): void {
    const { "x-error-table": table, "x-field-error-table": fieldTable } = this.#document;
    for (const [code, row, fact] of this.#names((name) => `the error code ${name}`, "§7.2", table, codeFacts.codes)) {
      const found = { status: row.status ?? null, group: row.group.toLowerCase(), errors: row.errors ?? false };
      const errors = codeFacts.codesWithFieldErrors.includes(code);
      this.#same(`the error code ${code}`, "§7.2", found, {
        status: fact.status,
        group: fact.group.toLowerCase(),
        errors,
      });
      this.#note(code, row, codeFacts.codeNotes[code]);
    }
    const fieldCodes = Object.fromEntries(codeFacts.fieldCodes.map((code) => [code, code]));
    for (const [code, row] of this.#names((name) => `the field code ${name}`, "§7.3", fieldTable, fieldCodes))
      this.#note(code, row, codeFacts.fieldCodeNotes[code]);
  }

  #note(code: string, { stated = false }: Pick<CodeNode, "stated">, section: string | undefined): void {
    this.#same(`the meaning of ${code}`, section ?? "§7.2", { stated }, { stated: section !== undefined });
  }

  limits(): void {
    for (const [name, value] of Object.entries(limits))
      this.#same("x-limits", limitSections[name as keyof typeof limits], this.#document["x-limits"], { [name]: value });
  }

  access(): void {
    const { servers = [], security, components } = this.#document;
    for (const { url } of servers)
      if (url.includes(apiPath))
        this.#wrong(`the server ${url} contains ${apiPath}`, "§1", "has it at the start of every path");
    const names = security.map((requirement) => Object.keys(requirement));
    const scheme = components.securitySchemes[names[0]?.[0] ?? ""];
    const found = { requirements: names.map(({ length }) => length), type: scheme?.type, scheme: scheme?.scheme };
    this.#same("security", "§4", found, { requirements: [1], ...authentication });
    if (!scheme?.description?.includes(`\`${limits.apiKeyPrefix}\``))
      this.#wrong(
        `the security scheme says "${scheme?.description}"`,
        "§5.1",
        `says that a key starts with ${limits.apiKeyPrefix}`,
      );
  }

  webhooks(): void {
    const { event, scheme, form } = webhook;
    const place = `the event ${event}`;
    const stated = { [event]: { header: headers.signature, event, scheme } };
    for (const [, { post }, signature] of this.#names(
      (name) => `the event ${name}`,
      "§6",
      this.#document.webhooks,
      stated,
    )) {
      const { parameters = [], requestBody } = post;
      this.#same(`x-signature of ${place}`, "§6.1", post["x-signature"], signature);
      const parameter = parameters.find(({ name }) => name === headers.signature);
      const says = "says t=<timestamp>,v1=<signature>";
      if (!parameter?.required) this.#wrong(`${place} does not require ${headers.signature}`, "§6.1", "does");
      if (!form.test(String(parameter?.example)))
        this.#wrong(`the example of ${headers.signature} is ${String(parameter?.example)}`, "§6.1", says);
      if (!/`t=<[^>]+>,v1=<[^>]+>`/.test(parameter?.description ?? ""))
        this.#wrong(`the description of ${headers.signature} is "${parameter?.description}"`, "§6.1", says);
      const { type } = this.#resolve(requestBody?.content[contentType]?.schema ?? {}).properties ?? {};
      if (type) this.#same(`the type of ${place}`, "§6", type, { const: event });
    }
  }

  operations(): void {
    const found = Object.entries(this.#document.paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method] as OperationNode | undefined;
        if (!operation) return [];
        const parameters = [...((item.parameters ?? []) as ParameterNode[]), ...(operation.parameters ?? [])];
        const whole = { servers: item.servers, ...operation, parameters: parameters.map((one) => this.#resolve(one)) };
        return [[`${method.toUpperCase()} ${path}`, whole] as const];
      }),
    );
    const nameOf = (name: string) => `the operation ${name}`;
    for (const [name, operation, fact] of this.#names(nameOf, "§4", Object.fromEntries(found), operations)) {
      const { operationId: place, requestBody: body, "x-idempotency": mark = "idempotent" } = operation;
      const { section, who, accountScoped, retry } = fact;
      const given = {
        ...operation,
        "x-roles": operation["x-roles"].toSorted(),
        body: body === undefined ? "none" : body.required ? "required" : "optional",
      };
      this.#same(place, section, given, {
        "x-roles": who.toSorted(),
        "x-account-scoped": accountScoped,
        body: fact.body === null ? "none" : "required",
      });
      this.#same(place, "§1, §4", given, { servers: undefined, security: undefined });
      if (mark !== retry.mark)
        this.#wrong(`${place} has x-idempotency: ${mark}`, retry.section, `makes it ${retry.mark}: ${retry.because}`);
      this.#parameters(operation, "path", fact.path, section);
      this.#parameters(operation, "query", fact.query, section);
      // Only a request with a JWT needs it.
      const account: FieldFact = { type: "string", required: false, nullable: false };
      this.#parameters(operation, "header", accountScoped ? { [headers.account]: account } : {}, "§5.2");
      if (fact.body !== null && body) this.#body(`the body of ${place}`, body.content, fact.body);
      this.#responses(operation, fact);
      this.#answers(name, operation, fact);
    }
  }

  #parameters(
    { operationId, parameters = [] }: OperationNode,
    where: "path" | "query" | "header",
    facts: Readonly<Record<string, FieldFact>>,
    section: string,
  ): void {
    const nameOf = (name: string) => `the ${where} parameter ${name} of ${operationId}`;
    const own = parameters.filter((parameter) => parameter.in === where);
    // A keyword may change how a parameter is written in a request.
    for (const parameter of own.filter(({ name }) => Object.hasOwn(facts, name)))
      for (const keyword of Object.keys(parameter))
        if (!parameterKeywords.includes(keyword) && !isExtension(keyword) && !isMarked(parameter))
          this.#beyond(`${nameOf(parameter.name)} with the keyword ${keyword}`);
    const members = own.map(({ name, required = false, ...rest }) => [name, { ...rest, required }]);
    this.#members(nameOf, section, Object.fromEntries(members), facts);
  }

  #members(
    nameOf: (name: string) => string,
    section: string,
    found: Readonly<Record<string, Member>>,
    facts: Readonly<Record<string, FieldFact>>,
  ): void {
    for (const [name, { schema, required }, fact] of this.#names(nameOf, section, found, facts)) {
      this.#same(nameOf(name), section, { required }, omitUndefined({ required: fact.required }));
      this.#field(nameOf(name), schema, fact, section);
    }
  }

  /** Compares the schema of a JSON body with a resource, if it is shown. */
  #body(place: string, content: ContentNode, name = ""): void {
    const types = Object.keys(content);
    if (types.join() !== contentType)
      this.#wrong(`${place} has the content type ${listOf(types)}`, "§1", `says ${contentType}`);
    const schema = content[contentType]?.schema;
    const section = resources[name]?.section;
    if (schema && section) this.#field(place, schema, { type: name, nullable: false }, section);
  }

  #responses(operation: OperationNode, { section, successes, errors }: OperationFact): void {
    const { operationId: place, responses } = operation;
    const added = operation["x-error-codes"].map((code) => this.#markedCodes.get(code));
    const stated = [...Object.keys(successes), ...errors.map(String)];
    const says = `has ${listOf(stated.toSorted())}`;
    for (const status of stated)
      if (!responses[status]) this.#wrong(`${place} lacks the response ${status}`, section, says);
    for (const [status, node] of Object.entries(responses)) {
      const { headers: sent = {}, content } = this.#resolve(node);
      const answer = `the response ${status} of ${place}`;
      if (status !== "default" && !stated.includes(status) && !added.includes(Number(status)))
        this.#wrong(`there is ${answer}`, section, says);
      const header = sent[headers.requestId];
      if (!header) this.#wrong(`${answer} has no header ${headers.requestId}`, "§2.6", "has it");
      else {
        const { schema = {} } = this.#resolve(header);
        this.#field(
          `the header ${headers.requestId} of ${answer}`,
          schema,
          { type: "string", nullable: false },
          "§2.6",
        );
      }
      if (!status.startsWith("2")) this.#body(answer, content ?? {}, "ErrorResponse");
      else if (Object.hasOwn(successes, status)) {
        const body = successes[Number(status)];
        if (body !== null) this.#body(answer, content ?? {}, body);
        else if (content) this.#wrong(`${answer} has a body`, section, "has none");
      }
    }
  }

  #answers(name: string, { operationId: place, "x-error-codes": found }: OperationNode, fact: OperationFact): void {
    for (const answer of answers) {
      const { section, codes, by, only } = answer;
      const isStated = isAnswerOf(answer, name, fact);
      for (const code of codes) {
        if (isStated && !found.includes(code)) this.#wrong(`${place} lacks the code ${code}`, section, "gives it");
        if (!isStated && only && found.includes(code))
          this.#wrong(`${place} has the code ${code}`, section, `gives it to ${by} only`);
      }
    }
  }

  #field(place: string, node: SchemaNode, fact: FieldFact, section: string): void {
    // Without its null alternative: the schema, and the reference to it if there is one.
    const resolved = this.#resolve(node);
    const others = resolved.anyOf?.filter(({ type }) => type !== "null");
    const [only] = others ?? [];
    const named = others === undefined ? node : only && others.length === 1 ? only : resolved;
    const schema = this.#resolve(named);
    const nullable = resolved.anyOf ? others?.length !== resolved.anyOf.length : admitsNull(resolved);
    this.#same(place, section, { nullable }, omitUndefined({ nullable: fact.nullable }));

    const [, item] = /^list of (.+)$/.exec(fact.type ?? "") ?? [];
    const resource = resources[fact.type ?? ""];
    const isTime = fact.type === "datetime";
    const type = item ? "array" : resource ? "object" : isTime ? "string" : fact.type;
    if (type !== undefined && typeOf(schema) !== type) {
      this.#wrong(`${place} has the type ${typeOf(schema) || "any"}`, section, `says ${isTime ? "datetime" : type}`);
      return;
    }
    if (isTime) this.#same(place, section, schema, { format: "date-time" });
    else if (type !== undefined && schema.format !== undefined)
      this.#beyond(`${place} with the format ${schema.format}`);
    this.#keywords(place, [node, resolved, named, schema]);
    this.#limits(place, schema, fact, section);
    this.#values(place, schema, fact, section);
    this.#shownBy(place, schema, fact, section);
    if (resource) this.#resource(place, named, resource);
    else if (item !== undefined) {
      const form = omitUndefined({ fits: fact.fits, unfit: fact.unfit });
      this.#field(`an item of ${place}`, schema.items ?? {}, { type: item, nullable: false, ...form }, section);
    } else if (!fact.open) this.#form(place, schema, fact, section);
  }

  #resource(where: string, node: SchemaNode, { section, fields, sent }: ResourceFact): void {
    const place = node.$ref?.split("/").at(-1) ?? where;
    const pair = `${place} ${Object.keys(fields).join(" ")}`;
    if (node.$ref && this.#compared.has(pair)) return;
    this.#compared.add(pair);
    const { properties = {}, required = [] } = this.#resolve(node);
    const found = Object.entries(properties).map(([name, schema]) => [
      name,
      // The marks of a property stand in its schema.
      { ...schema, schema, required: required.includes(name) },
    ]);
    this.#members((name) => `${place}.${name}`, section, Object.fromEntries(found), fields);
    for (const name of required)
      if (!Object.hasOwn(properties, name)) this.#beyond(`the required field ${place}.${name}`);
      else if (sent && !Object.hasOwn(fields, name))
        this.#wrong(`${place}.${name} is required`, section, "does not have it, so requests leave it out");
  }

  /** Names each keyword that the comparison does not read, so that none restricts a value unseen. */
  #keywords(place: string, nodes: readonly SchemaNode[]): void {
    for (const node of new Set(nodes))
      for (const keyword of Object.keys(node)) {
        if (node["x-beyond-specification"] === true || isExtension(keyword)) continue;
        if (!annotations.includes(keyword) && !known(node).includes(keyword))
          this.#beyond(`${place} with the keyword ${keyword}`);
      }
  }

  #limits(place: string, schema: SchemaNode, fact: FieldFact, section: string): void {
    const stated = limitKeywords.map((keyword) => [keyword, memberOf(fact, keyword)] as const);
    for (const [keyword, value] of stated) {
      const found = memberOf(schema, keyword);
      if (value !== undefined) this.#same(place, section, schema, { [keyword]: value });
      else if (found !== undefined && !fact.open && schema["x-beyond-specification"] !== true)
        this.#beyond(`${place} with ${keyword} ${shown(found)}`);
    }
    const numbers = stated.map(([, value]) => value).filter((value) => typeof value === "number");
    if (numbers.length === 0) return;
    for (const [number] of String(schema.description ?? "").matchAll(/\d+/g))
      if (!numbers.includes(Number(number)))
        this.#wrong(`the description of ${place} names ${number}`, section, `says ${listOf(numbers)}`);
  }

  #values(place: string, schema: SchemaNode, { values: stated, open }: FieldFact, section: string): void {
    const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    const values = listed?.filter((value) => value !== null);
    if (!stated && values && !open) this.#beyond(`${place} with only the values ${values.join(", ")}`);
    if (!values && stated) this.#wrong(`${place} accepts any value`, section, `says ${stated.join(", ")}`);
    if (!stated || !values) return;
    for (const value of stated.filter((one) => !values.includes(one)))
      this.#wrong(`${place} lacks the value ${value}`, section, `says ${stated.join(", ")}`);
    if (schema["x-beyond-specification"] === true) return;
    for (const value of values.map(String))
      if (!stated.includes(value) && !this.#markedCodes.has(value)) this.#beyond(`${place} with the value ${value}`);
  }

  #form(place: string, { pattern }: SchemaNode, { fits, unfit = [] }: FieldFact, section: string): void {
    if (!fits && pattern !== undefined) this.#beyond(`${place} with the pattern ${pattern}`);
    if (fits && pattern === undefined) this.#wrong(`${place} has no pattern`, section, `says ${fits.join(", ")}`);
    if (!fits || pattern === undefined) return;
    const form = new RegExp(pattern, "u");
    for (const text of fits.filter((one) => !form.test(one)))
      this.#wrong(`${place} has a pattern that refuses "${text}"`, section, "allows it");
    for (const text of unfit.filter((one) => form.test(one)))
      this.#wrong(`${place} has a pattern that accepts "${text}"`, section, `says ${fits.join(", ")}`);
  }

  /** A secret is shown by what creates or replaces it, and by nothing else. */
  #shownBy(place: string, schema: SchemaNode, { shownBy }: FieldFact, section: string): void {
    if (shownBy === undefined) return;
    const found = schema["x-returned-by"] ?? [];
    /** The operations beyond the specification that create something. */
    const creations = Object.values(this.#document.paths)
      .map(({ post }) => post as OperationNode | undefined)
      .flatMap((post) => (post?.["x-beyond-specification"] ? [post.operationId] : []));
    const isRight =
      shownBy.every((operation) => found.includes(operation)) &&
      found.every((operation) => [...shownBy, ...creations].includes(operation));
    if (isRight) return;
    const says = `says only by a creation and ${shownBy.join(", ")}`;
    this.#wrong(`${place} is shown by ${found.join(", ") || "every operation"} (x-returned-by)`, section, says);
  }
}

/** What the bundled contract says otherwise than the specification, or adds without a mark. One sentence each. */
export function contradictions(document: ContractDocument): string[] {
  const comparison = new Comparison(document);
  comparison.codes();
  comparison.limits();
  comparison.access();
  comparison.webhooks();
  comparison.operations();
  return [...comparison.sentences];
}
