// The mutants for the contract suite: those of rules.txt, and those that follow from the generated tables. Each of the
// latter changes one limit, keyword, permission or status.
import { readdirSync, readFileSync } from "node:fs";
import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { type Mutant, readTable, sourceOf } from "./plant.ts";

type Table = Pick<Mutant, "group" | "rule" | "file">;

/** A mutant that replaces the entry `from` of a generated table with `to`. */
const changed = (table: Table, name: string, first: RegExp, from: string, to: string): Mutant => ({
  ...table,
  name,
  first,
  plant: (source) => {
    if (from === "" || source.split(from).length !== 2)
      throw new Error(`${name}: packages/${table.file} must contain this entry exactly once: ${from}`);
    return source.replace(from, () => to);
  },
});

const operationIds = Object.keys(operations) as OperationId[];
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A kind of change to a schema: the text to replace, and the replacements by name. */
interface Change {
  readonly find: RegExp;
  /** Parts of requests in which the change is visible. */
  readonly parts: readonly Part[];
  readonly variants: (match: readonly string[]) => Readonly<Record<string, string>>;
}
type Part = "body" | "query";
const both: readonly Part[] = ["body", "query"];

const changes: readonly Change[] = [
  {
    find: /\.(min|max|gte|lte)\((\d+)\)/g,
    parts: both,
    variants: ([, keyword = "", limit]) => ({
      [`${keyword} ${limit} is one less`]: `.${keyword}(${Number(limit) - 1})`,
      [`${keyword} ${limit} is one more`]: `.${keyword}(${Number(limit) + 1})`,
    }),
  },
  {
    find: /\.default\((\d+)\)/g,
    parts: both,
    variants: ([, value]) => ({
      [`default ${value} is one less`]: `.default(${Number(value) - 1})`,
      [`default ${value} is one more`]: `.default(${Number(value) + 1})`,
    }),
  },
  { find: /\.nullish\(\)/g, parts: both, variants: () => ({ "null is refused": ".optional()" }) },
  // A default fills in a missing value, so that `.optional()` before it has no effect.
  { find: /\.optional\(\)(?!\.default)/g, parts: both, variants: () => ({ "is required": "" }) },
  { find: /\.regex\(\/.*?\/\)/g, parts: both, variants: () => ({ "any text matches the pattern": "" }) },
  {
    find: /z\.enum\(\[([^\]]*)\]\)/g,
    parts: both,
    variants: ([, values = ""]) => ({
      "accepts unlisted values": "z.string()",
      ...Object.fromEntries(
        values
          .split(", ")
          .map((value) => [`refuses ${value}`, `z.enum([${values.replace(value, value.replace(/'$/, "-'"))}])`]),
      ),
    }),
  },
  {
    find: /z\.iso\.datetime\(\{ offset: true \}\)/g,
    parts: both,
    variants: () => ({
      "refuses time zone offsets": "z.iso.datetime()",
      "accepts times without an offset": "z.iso.datetime({ offset: true, local: true })",
      "accepts any text as a time": "z.string()",
    }),
  },
  // Every value of a query is text.
  {
    find: /z\.string\(\)/g,
    parts: ["body"],
    variants: () => ({ "accepts values that are not text": "z.coerce.string()" }),
  },
  { find: /z\.int\(\)/g, parts: ["body"], variants: () => ({ "accepts fractions": "z.number()" }) },
  { find: /z\.object\(/g, parts: ["body"], variants: () => ({ "refuses unknown fields": "z.strictObject(" }) },
  {
    find: /(?<=\n {2}\w+: (?:(?!nullish|optional).)*[^,])(?=,?\n)/g,
    parts: ["body"],
    variants: () => ({ "is optional": ".optional()" }),
  },
  {
    find: /(?<=\n {2}\w+: (?:(?!nullish).)*[^,])(?=,?\n)/g,
    parts: ["body"],
    variants: () => ({ "may be null": ".nullable()" }),
  },
];

const schemaTable = { group: "Keywords of request schemas", rule: "§4, §8", file: "spec/src/schemas.gen.ts" };
const schemaText = sourceOf(schemaTable.file);

const declarationOf = (name: string): string =>
  new RegExp(`\\nexport const ${name} = [^]*?;\\n`).exec(schemaText)?.[0] ?? "";

/** The declaration of a request schema and of the schemas that it names. */
function declarationsOf(name: string): Map<string, string> {
  const declaration = declarationOf(name);
  const inner = [...declaration.matchAll(/\bz[A-Z]\w*/g)].map(([found]) => found).filter((found) => found !== name);
  return new Map([[name, declaration], ...inner.flatMap((found) => [...declarationsOf(found)])]);
}

function schemaMutants(part: Part, operation: string, name: string, declaration: string): Mutant[] {
  return changes
    .filter(({ parts }) => parts.includes(part))
    .flatMap(({ find, variants }) =>
      [...declaration.matchAll(find)].flatMap((match) => {
        const [before, after] = [declaration.slice(0, match.index), declaration.slice(match.index + match[0].length)];
        const field = [...before.matchAll(/\n {2}(\w+): /g)].at(-1)?.[1];
        const place = [name.slice(1), ...(field ? [field] : [])].join(".");
        const first = new RegExp(`^invalid input: ${operation} .*${field ?? ""}`);
        return Object.entries(variants(match)).map(([what, text]) =>
          changed(schemaTable, `${place} ${what}`, first, declaration, before + text + after),
        );
      }),
    );
}

const schemas: readonly Mutant[] = Object.entries(requestSchemas).flatMap(([operation, parts]) =>
  (Object.keys(parts) as (Part | "path")[]).flatMap((part) => {
    const name = new RegExp(`${operation}: \\{[^}]*\\b${part}: (\\w+)`).exec(schemaText)?.[1] ?? "";
    // The backend checks ids in the path by itself.
    if (part === "path") return [];
    return [...declarationsOf(name)].flatMap(([declared, text]) => schemaMutants(part, operation, declared, text));
  }),
);

const limitTable = { group: "Limits outside the schemas", rule: "§5, §6, §8", file: "spec/src/limits.gen.ts" };
const limitCases = /^(webhooks|destinations|calls|authentication):/;
const backendText = readdirSync(new URL("../../packages/backend/src/", import.meta.url), {
  recursive: true,
  encoding: "utf8",
})
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith(".gen.ts"))
  .map((file) => sourceOf(`backend/src/${file}`))
  .join("\n");

/** Mutants of the limits that the backend reads. The other limits concern clients. */
const limits: readonly Mutant[] = [
  ...sourceOf(limitTable.file).matchAll(/\n {2}"?([^\s"]+)"?: (\d+|"[^"\n]*")(?=,?\n)/g),
]
  .filter(([, name = ""]) => new RegExp(`\\b(limits|webhookSignature)\\.${escaped(name)}\\b`).test(backendText))
  .flatMap(([from, name = "", value = ""]) => {
    const values = /^\d+$/.test(value)
      ? { "is one less": Number(value) - 1, "is one more": Number(value) + 1 }
      : { "is another text": value.replace(/"$/, '_"') };
    return Object.entries(values).map(([what, other]) =>
      changed(limitTable, `${name} ${value} ${what}`, limitCases, from, from.slice(0, -value.length) + String(other)),
    );
  });

const operationsFile = "spec/src/operations.gen.ts";
const operationsText = sourceOf(operationsFile);
const everyRole = [...new Set(operationIds.flatMap((id) => operations[id].roles as readonly string[]))];
const everyScope = [...new Set(operationIds.map((id) => operations[id].scope))];

const without = (list: readonly string[], entry: string) => list.filter((one) => one !== entry);

function operationMutants(id: OperationId): Mutant[] {
  const block = new RegExp(`\\n {2}${id}: \\{\\n[^]*?\\n {2}\\}`).exec(operationsText)?.[0] ?? "";
  const { accountScoped, roles, scope, hasBody, queryParameters, pathParameters } = operations[id];
  const permitted: readonly string[] = roles;
  const first = new RegExp(`^(permissions|authentication|invalid input): ${id} `);
  const variant = (what: string, rule: string, find: string | RegExp, text: string): Mutant =>
    changed(
      { group: "Caller requirements of operations", rule, file: operationsFile },
      `${id} ${what}`,
      first,
      block,
      block.replace(find, text),
    );
  const withRoles = (what: string, names: readonly string[]) =>
    variant(what, "§5.5", /roles: \[[^\]]*\]/, `roles: ${JSON.stringify(names)}`);
  // The role "self" needs a path that names a member.
  const others = everyRole.filter((role) => !permitted.includes(role) && role !== "self");
  return [
    ...(accountScoped ? permitted.map((role) => withRoles(`refuses ${role}`, without(permitted, role))) : []),
    ...(accountScoped ? others.map((role) => withRoles(`accepts ${role}`, [...permitted, role])) : []),
    variant("requires another scope", "§5.3", scope, everyScope.find((other) => other !== scope) ?? ""),
    variant(
      `is ${accountScoped ? "not " : ""}account-scoped`,
      "§5.2",
      `accountScoped: ${accountScoped}`,
      `accountScoped: ${!accountScoped}`,
    ),
    ...(pathParameters.length === 0 && !hasBody
      ? [variant("requires a body", "§4", "hasBody: false", "hasBody: true")]
      : []),
    ...Object.entries(queryParameters)
      .filter(([, type]) => type !== "string")
      .map(([name, type]) => variant(`reads ${name} as text`, "§4.6", `${name}: "${type}"`, `${name}: "string"`)),
  ];
}

const codeTable = { group: "Statuses of error codes", rule: "§7.2", file: "spec/src/error-codes.gen.ts" };
const codesText = sourceOf(codeTable.file);

/** Mutants of error codes: a wrong status where the specification states one, and missing field errors. */
const codes: readonly Mutant[] = Object.entries(errorCodes).flatMap(([code, { status, hasFieldErrors }]) => {
  const block = new RegExp(`\\n {2}${code}: \\{.*\\}`).exec(codesText)?.[0] ?? "";
  const variant = (what: string, find: RegExp, text: string): Mutant =>
    changed(codeTable, `${code} ${what}`, new RegExp(`^codes on demand: ${code} `), block, block.replace(find, text));
  return [
    ...(status === null ? [] : [variant(`returns ${status + 1}`, /mockStatus: \d+/, `mockStatus: ${status + 1}`)]),
    ...(hasFieldErrors ? [variant("omits the field errors", /hasFieldErrors: true/, "hasFieldErrors: false")] : []),
  ];
});

export const mutants: readonly Mutant[] = [
  ...readTable(readFileSync(new URL("rules.txt", import.meta.url), "utf8")),
  ...schemas,
  ...limits,
  ...operationIds.flatMap(operationMutants),
  ...codes,
];
