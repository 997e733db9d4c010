import { contentType, headers } from "../../src/facts/limits.ts";
import { type AnswerFact, answers, type OperationFact, operations } from "../../src/facts/operations.ts";
import { type FieldFact, resources } from "../../src/facts/resources.ts";
import {
  beyond,
  type ContentNode,
  type ContractDocument,
  compareRequired,
  type FieldContext,
  isExtension,
  isMarked,
  type OperationNode,
  type ParameterNode,
  wrong,
} from "./document.ts";
import { compareField } from "./fields.ts";

const methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];
const listOf = (values: readonly (string | number)[]): string => values.join(", ") || "none";
const parameterKeywords = ["name", "in", "required", "description", "deprecated", "example", "examples", "schema"];
const isSuccess = (status: string): boolean => status.startsWith("2");

/** A sentence for each keyword that changes how a parameter is written in a request. */
function* keywordSentences(place: string, parameter: ParameterNode): Generator<string> {
  for (const keyword of Object.keys(parameter))
    if (!parameterKeywords.includes(keyword) && !isExtension(keyword) && !isMarked(parameter))
      yield beyond(`${place} with the keyword ${keyword}`);
}

function* parameterSentences(
  place: string,
  where: "path" | "query",
  found: readonly ParameterNode[],
  facts: Readonly<Record<string, FieldFact>>,
  section: string,
  context: FieldContext,
): Generator<string> {
  const own = new Map(found.filter((parameter) => parameter.in === where).map((one) => [one.name, one]));
  for (const [name, fact] of Object.entries(facts)) {
    const parameter = own.get(name);
    const field = `the ${where} parameter ${name} of ${place}`;
    if (!parameter) {
      yield wrong(`${field} is missing`, section, "has it");
      continue;
    }
    yield* compareRequired(field, parameter.required ?? false, fact.required, section);
    yield* keywordSentences(field, parameter);
    yield* compareField(field, parameter.schema, fact, section, context);
  }
  for (const [name, parameter] of own)
    if (!Object.hasOwn(facts, name) && !isMarked(parameter)) yield beyond(`the ${where} parameter ${name} of ${place}`);
}

function* headerSentences(
  place: string,
  found: readonly ParameterNode[],
  { accountScoped }: OperationFact,
  context: FieldContext,
): Generator<string> {
  const own = found.filter((parameter) => parameter.in === "header");
  const account = own.find(({ name }) => name === headers.account);
  if (accountScoped && !account)
    yield wrong(`${place} has no header ${headers.account}`, "§5.2", "says that a JWT needs it");
  if (account?.required)
    yield wrong(`${place} always requires ${headers.account}`, "§5.2", "says that only a request with a JWT needs it");
  if (accountScoped && account) {
    const field = `the header ${headers.account} of ${place}`;
    yield* keywordSentences(field, account);
    yield* compareField(field, account.schema, { type: "string", nullable: false }, "§5.2", context);
  }
  for (const parameter of own)
    if (!(accountScoped && parameter === account) && !isMarked(parameter))
      yield beyond(`the header ${parameter.name} of ${place}`);
}

/** The schema of a JSON body, or a sentence about another content type. */
function* bodySentences(
  place: string,
  content: ContentNode,
  name: string | undefined,
  context: FieldContext,
): Generator<string> {
  const schema = content[contentType]?.schema;
  if (!schema || Object.keys(content).length > 1)
    return yield wrong(`${place} has the content type ${listOf(Object.keys(content))}`, "§1", `says ${contentType}`);
  const section = resources[name ?? ""]?.section;
  if (name && section) yield* compareField(place, schema, { type: name, nullable: false }, section, context);
}

function* responseSentences(
  place: string,
  operation: OperationNode,
  fact: OperationFact,
  context: FieldContext,
): Generator<string> {
  const { responses } = operation;
  const { section, successes, errors } = fact;
  const added = operation["x-error-codes"].map((code) => context.markedCodes.get(code));
  const stated = [...Object.keys(successes), ...errors.map(String)];
  for (const status of stated)
    if (!responses[status])
      yield wrong(`${place} lacks the response ${status}`, section, `has ${listOf(stated.toSorted())}`);
  for (const [status, node] of Object.entries(responses)) {
    const response = context.resolve(node);
    const answer = `the response ${status} of ${place}`;
    if (status !== "default" && !stated.includes(status) && !added.includes(Number(status)))
      yield wrong(`there is ${answer}`, section, `has ${listOf(stated.toSorted())}`);
    const header = response.headers?.[headers.requestId];
    if (!header) yield wrong(`${answer} has no header ${headers.requestId}`, "§2.6", "has it");
    else {
      const { schema = {} } = context.resolve(header);
      const field = `the header ${headers.requestId} of ${answer}`;
      yield* compareField(field, schema, { type: "string", nullable: false }, "§2.6", context);
    }
    if (!isSuccess(status)) yield* bodySentences(answer, response.content ?? {}, "ErrorResponse", context);
    else if (Object.hasOwn(successes, status)) {
      const body = successes[Number(status)];
      if (body === null && response.content) yield wrong(`${answer} has a body`, section, "has none");
      if (body !== null) yield* bodySentences(answer, response.content ?? {}, body, context);
    }
  }
}

function* callerSentences(
  place: string,
  operation: OperationNode,
  { who, section, accountScoped }: OperationFact,
): Generator<string> {
  const { "x-roles": found, "x-account-scoped": scoped } = operation;
  const stated = `admits ${who.join(", ")} only`;
  for (const role of who.filter((one) => !found.includes(one)))
    yield wrong(`${place} does not admit ${role}`, section, stated);
  for (const role of found.filter((one) => !who.includes(one))) yield wrong(`${place} admits ${role}`, section, stated);
  if (scoped !== accountScoped)
    yield wrong(
      `${place} is ${scoped ? "" : "not "}account-scoped`,
      `§5.2, ${section}`,
      `says that it is${scoped ? " not" : ""}`,
    );
}

/** Whether a section gives a code to an operation. */
function isAnswerOf({ by }: AnswerFact, name: string, { accountScoped, body, path }: OperationFact): boolean {
  if (by === "account-scoped operations") return accountScoped;
  if (by === "operations with a body") return body !== null;
  if (by === "operations with an id in the path") return Object.keys(path).length > 0;
  return by === "every operation" || by === name;
}

function* answerSentences(name: string, operation: OperationNode, fact: OperationFact): Generator<string> {
  const { operationId: place, "x-error-codes": found } = operation;
  for (const answer of answers) {
    const isStated = isAnswerOf(answer, name, fact);
    for (const code of answer.codes) {
      if (isStated && !found.includes(code)) yield wrong(`${place} lacks the code ${code}`, answer.section, "gives it");
      if (!isStated && answer.only && found.includes(code))
        yield wrong(`${place} has the code ${code}`, answer.section, `gives it to ${answer.by} only`);
    }
  }
}

/** The sentences about operations. */
export function* operationSentences(document: ContractDocument, context: FieldContext): Generator<string> {
  const found = new Map<string, { operation: OperationNode; parameters: ParameterNode[]; servers: unknown }>();
  for (const [path, item] of Object.entries(document.paths))
    for (const method of methods) {
      const operation = item[method] as OperationNode | undefined;
      if (!operation) continue;
      const own = [...((item.parameters ?? []) as ParameterNode[]), ...(operation.parameters ?? [])];
      const parameters = own.map((one) => context.resolve(one));
      found.set(`${method.toUpperCase()} ${path}`, {
        operation,
        parameters,
        servers: operation.servers ?? item.servers,
      });
    }
  for (const [name, fact] of Object.entries(operations)) {
    const one = found.get(name);
    if (!one) {
      yield wrong(`the operation ${name} is missing`, fact.section, "has it");
      continue;
    }
    const { operation, parameters } = one;
    const { operationId: place, requestBody: body } = operation;
    yield* callerSentences(place, operation, fact);
    yield* parameterSentences(place, "path", parameters, fact.path, fact.section, context);
    yield* parameterSentences(place, "query", parameters, fact.query, fact.section, context);
    yield* headerSentences(place, parameters, fact, context);
    if (one.servers !== undefined) yield wrong(`${place} has servers of its own`, "§1", "has one base address");
    if (operation.security !== undefined)
      yield wrong(`${place} has a security of its own`, "§4", "has one for all endpoints");
    if (fact.body === null && body) yield wrong(`${place} has a body`, fact.section, "has none");
    if (fact.body !== null && !body?.required)
      yield wrong(`${place} requires no body`, fact.section, "has required fields");
    if (fact.body !== null && body) yield* bodySentences(`the body of ${place}`, body.content, fact.body, context);
    yield* responseSentences(place, operation, fact, context);
    yield* answerSentences(name, operation, fact);
    const { retry } = fact;
    if ((operation["x-idempotency"] ?? "idempotent") !== retry.mark)
      yield wrong(
        `${place} has x-idempotency: ${operation["x-idempotency"]}`,
        retry.section,
        `makes it ${retry.mark}: ${retry.because}`,
      );
  }
  for (const [name, { operation }] of found)
    if (!Object.hasOwn(operations, name) && !isMarked(operation)) yield beyond(`the operation ${name}`);
}
