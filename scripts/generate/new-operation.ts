// The skeleton of a new operation, as edits of the files that describe, implement, check and show operations.
import { parse, stringify } from "yaml";
import { methods } from "./read/values.ts";
import { pascal } from "./text/text.ts";

/** An operation to add. */
export interface NewOperation {
  readonly method: string;
  readonly path: string;
  /** By default made of the method and the path. */
  readonly operationId?: string | undefined;
}

interface Tag {
  readonly name: string;
}

/** The parts of a path file that the skeleton takes over. */
interface Described {
  readonly "x-sdk": { readonly resource: string };
  readonly "x-scope": string;
  readonly responses: Readonly<Record<string, { readonly content?: { readonly "application/json": Body } }>>;
}
interface Body {
  readonly schema: { readonly $ref: string };
  readonly examples: Readonly<
    Record<string, { readonly summary: string; readonly value: Readonly<Record<string, unknown>> }>
  >;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

const camel = (name: string): string => pascal(name).replace(/^./, (letter) => letter.toLowerCase());
const singular = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "");
const indented = (text: string, spaces: number): string => text.trimEnd().replaceAll(/^(?=.)/gm, " ".repeat(spaces));

const verbs: Readonly<Record<string, string>> = {
  get: "get",
  post: "create",
  put: "set",
  patch: "update",
  delete: "delete",
};
const words: Readonly<Record<string, string>> = { get: "Read", delete: "Remove", update: "Change" };

/**
 * The files of a new operation with its skeleton.
 *
 * @throws {Error} names what to change if the method, the path or the name cannot be used
 */
export function newOperation(read: (path: string) => string, { method: verb, path, operationId: name }: NewOperation) {
  const method = verb.toLowerCase();
  if (!methods.includes(method))
    throw new Error(
      `The method ${verb || "(none)"} is not one of the API. Write one of ${methods.join(", ").toUpperCase()}.`,
    );
  if (!/^\/api\/v1(?:\/(?:[a-z][a-z-]*|\{\w+\}))+$/.test(path))
    throw new Error(
      `The path ${path || "(none)"} is not one of the API. Write /api/v1/ and segments in lower case, with ids in braces.`,
    );
  const root = parse(read("openapi/openapi.yaml")) as { tags: Tag[]; paths: Record<string, { $ref: string }> };
  const segments = path.split("/").slice(3);
  const tags = root.tags.map((tag) => tag.name);
  const noun = segments.findLast((segment) => tags.includes(segment));
  if (noun === undefined)
    throw new Error(
      `The path ${path} has no segment that is a tag of openapi/openapi.yaml (${tags.join(", ")}). Add the tag, or correct the path.`,
    );

  const isOne = segments.at(-1)?.startsWith("{") ?? false;
  const action = segments.slice(segments.indexOf(noun) + 1).findLast((segment) => !segment.startsWith("{"));
  const one = singular(noun);
  const start = method === "get" && !isOne && action === undefined ? "list" : (verbs[method] ?? method);
  const subject = action === undefined ? (start === "list" ? noun : one) : `${one}-${action}`;
  const operationId = name ?? camel(`${start}-${subject}`);
  const pathsFile = `openapi/paths/${noun}.yaml`;
  const described = parse(read(pathsFile)) as Paths;
  if (read(pathsFile).includes(`operationId: ${operationId}\n`))
    throw new Error(`${pathsFile} has an operation ${operationId} already. Give another name with --id.`);
  if (Object.hasOwn(described[itemOf(root.paths[path]) ?? ""] ?? {}, method))
    throw new Error(`${verb} ${path} is described in ${pathsFile} already. Change it there.`);

  const item = itemOf(root.paths[path]) ?? camel(action ?? (isOne ? "item" : "collection"));
  const known = Object.values(described).flatMap((operations) => Object.values(operations));
  const operation = {
    method,
    path,
    noun,
    operationId,
    item,
    one,
    resource: known[0]?.["x-sdk"].resource ?? camel(noun),
    collection: read("packages/backend/src/model/state.ts").includes(`readonly ${camel(noun)}:`)
      ? camel(noun)
      : (noun.split("-").at(-1) ?? noun),
    sdkMethod: camel(action === undefined ? start : `${start}-${action}`),
    sentence: `${words[start] ?? pascal(start)} ${start === "list" ? noun.replaceAll("-", " ") : `${/^[aeiou]/.test(one) ? "an" : "a"} ${one.replaceAll("-", " ")}`}`,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => id),
    scope: `${known[0]?.["x-scope"].split(":")[0] ?? noun}:${method === "get" ? "read" : "write"}`,
    success: start === "list" ? undefined : successOf(known),
  };
  const files = new Map([
    ["openapi/openapi.yaml", withPath(read("openapi/openapi.yaml"), operation)],
    [pathsFile, withDescription(read(pathsFile), operation)],
    ["packages/backend/src/routes.ts", withHandler(read("packages/backend/src/routes.ts"), operation)],
    [`packages/contract/src/cases/${noun}.ts`, withCase(read(`packages/contract/src/cases/${noun}.ts`), operation)],
    ["examples/every-operation.mjs", withStep(read("examples/every-operation.mjs"), operation)],
  ]);
  return { operationId, files };
}

const itemOf = (reference: { $ref: string } | undefined): string | undefined => reference?.$ref.split("#/")[1];

/** The body of an operation of the same resource that returns one record, without what is shown only once. */
function successOf(operations: readonly Described[]): Body | undefined {
  const bodies = operations.flatMap(({ responses }) =>
    Object.values(responses).map(({ content }) => content?.["application/json"]),
  );
  return bodies.find((body) =>
    Object.values(body?.examples ?? {}).some(({ value }) => "id" in value || "memberId" in value),
  );
}

interface Skeleton {
  readonly method: string;
  readonly path: string;
  readonly noun: string;
  readonly operationId: string;
  /** The key in the path file. */
  readonly item: string;
  readonly one: string;
  readonly resource: string;
  /** The collection of the backend's state. */
  readonly collection: string;
  readonly sdkMethod: string;
  readonly sentence: string;
  readonly ids: readonly string[];
  readonly scope: string;
  readonly success: Body | undefined;
}

/** Inserts text before the first match of a pattern. */
function insertedBefore(text: string, pattern: RegExp, insertion: string): string {
  const at = text.search(pattern);
  if (at < 0) throw new Error(`Nothing matches ${pattern}, so there is no place for the skeleton. Restore that line.`);
  return text.slice(0, at) + insertion + text.slice(at);
}

function withPath(text: string, { path, noun, item }: Skeleton): string {
  if (text.includes(`  ${path}:\n`)) return text;
  return insertedBefore(text, /\nwebhooks:/, `  ${path}:\n    $ref: paths/${noun}.yaml#/${item}\n`);
}

function bodyText(body: Body | undefined, noun: string, schema: string): string {
  const [example] = Object.values(body?.examples ?? {});
  const { signingSecret: _secret, ...value } = example?.value ?? {};
  // A time without quotes would be read as a date.
  const options = { version: "1.1", singleQuote: true } as const;
  const content = {
    "application/json": {
      schema: { $ref: body?.schema.$ref ?? `../schemas/${noun}.yaml#/${schema}` },
      examples: { [camel(schema)]: { summary: "", value } },
    },
  };
  return stringify(content, options);
}

/** The marks that a person decides on stay empty; the generator asks for each. */
function withDescription(text: string, operation: Skeleton): string {
  const { method, noun, operationId, item, resource, sdkMethod, scope, success, one } = operation;
  const hasBody = ["post", "put", "patch"].includes(method);
  const request = `requestBody:\n  required: true\n  content:\n${indented(bodyText(undefined, noun, `${pascal(operationId)}Request`), 4)}\n`;
  const status = method === "post" ? 201 : method === "delete" ? 204 : 200;
  const content =
    status === 204
      ? ""
      : `    content:\n${indented(bodyText(success, noun, success ? pascal(one) : `${pascal(operationId)}Result`), 6)}\n`;
  const lines = `${method}:
  operationId: ${operationId}
  tags: [${noun}]
  summary:
  description:
  x-beyond-specification: true
  x-sdk: { resource: ${resource}, method: ${sdkMethod} }
  x-roles:
  x-scope: ${scope}
  x-account-scoped: true
${method === "get" ? "" : "  x-idempotency:\n"}${hasBody ? `${indented(request, 2)}\n` : ""}  responses:
    '${status}':
      description:
${indented(content, 2)}`;
  const block = `${indented(lines, 2)}\n`;
  const start = text.search(new RegExp(`^${item}:\\n`, "m"));
  if (start < 0) return `${text.trimEnd()}\n\n${item}:\n${block}`;
  // Behind the other methods of the path, which end where the next path begins.
  const inside = start + `${item}:\n`.length;
  const next = text.slice(inside).search(/^\w/m);
  const end = next < 0 ? text.length : inside + next;
  return `${text.slice(0, end).trimEnd()}\n${block}${next < 0 ? "" : "\n"}${text.slice(end)}`;
}

function withHandler(text: string, { operationId, sentence, ids, collection, one, method }: Skeleton): string {
  const record = camel(one);
  const [id] = ids;
  // Records hold more than responses show.
  const show = `shown${pascal(one)}`;
  const shown = text.includes(`function ${show}(`) ? `${show}(${record})` : record;
  const lookup = id
    ? `    const ${record} = state.${collection}.get(params.${id});
    if (${record}?.accountId !== account.id) return problem("resource_not_found");
    return { status: ${method === "delete" ? "204 }" : `200, body: ${shown} }`};`
    : `    return { status: ${method === "post" ? 201 : 200}, body: {} };`;
  const input = id ? "{ state, account, params }" : "{ account }";
  const handler = `  /** ${sentence.replace(" ", "s ")}. */\n  ${operationId}(${input}) {\n${lookup}\n  },\n`;
  return insertedBefore(text, new RegExp(`(?<=const ${record}Handlers = \\{[^]*?)\\} satisfies Handlers;`), handler);
}

function withCase(text: string, { operationId, method, sentence }: Skeleton): string {
  const status = method === "post" ? 201 : method === "delete" ? 204 : 200;
  const name = `${operationId} ${sentence.toLowerCase().replace(" ", "s ")}`;
  const lines = `  test("${name}", async (target, check) => {
    const call = invoke(await connect(target), "${operationId}", validInput("${operationId}"));
    check.equal((await call.withResponse()).response.status, ${status}, "status");
  }),
`;
  const imported = text.replace(/^import \{([^}]*)\} from "\.\.\/suite\/client\.ts";/m, (_line, names: string) => {
    const all = new Set([...names.split(",").map((each) => each.trim()), "invoke", "validInput"].filter(Boolean));
    return `import { ${[...all].sort().join(", ")} } from "../suite/client.ts";`;
  });
  const start = imported.search(/^export const \w+Cases(?:: [^=]+)? = \[/m);
  const at = imported.indexOf("\n", start) + 1;
  if (start < 0) throw new Error("The file of the cases exports no list of cases. Restore it.");
  return imported.slice(0, at) + lines + imported.slice(at);
}

function withStep(text: string, { resource, sdkMethod, ids, sentence, method, noun, operationId }: Skeleton): string {
  const stageOf = (id: string) =>
    id === "memberId" ? "stage.member" : noun === "destinations" ? "stage.app" : `stage.${id}`;
  const body = ["post", "put", "patch"].includes(method) ? ["{}"] : [];
  const lines = `  step("${sentence}")
  const ${operationId} = await client.${resource}.${sdkMethod}(${[...ids.map(stageOf), ...body].join(", ")}).withResponse();
  show(\`\${${operationId}.response.status}\`);

`.replace(`")\n`, `");\n`);
  return insertedBefore(text, / {2}step\("Leave no operation out"\);/, lines);
}
