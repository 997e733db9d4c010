// Mutants of the generated tables: each limit, keyword, permission and status that stands there, changed by itself.
import { readdirSync, readFileSync } from "node:fs";
import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import type { RuleMutant } from "./mutant.ts";

const packages = new URL("../../packages/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, packages), "utf8");
const operationIds = Object.keys(operations) as OperationId[];
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** One change of a text: what to replace, where it applies, and by what, each under a name of its own. */
interface Change {
  readonly find: RegExp;
  /** Parts of requests in which the change shows. */
  readonly parts: readonly Part[];
  readonly variants: (match: readonly string[]) => Readonly<Record<string, string>>;
}
type Part = "body" | "query";
const both: readonly Part[] = ["body", "query"];

/** What can be wrong about a field's schema. */
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
  // A default stands for what is missing, whether the schema calls it optional or not.
  { find: /\.optional\(\)(?!\.default)/g, parts: both, variants: () => ({ "must be there": "" }) },
  {
    find: /\.regex\(\/.*?\/\)/g,
    parts: both,
    variants: () => ({ "any text fits the pattern": "" }),
  },
  {
    find: /z\.enum\(\[([^\]]*)\]\)/g,
    parts: both,
    variants: ([, values = ""]) => ({
      "takes values that are not listed": "z.string()",
      ...Object.fromEntries(
        values
          .split(", ")
          .map((value) => [`does not take ${value}`, `z.enum([${values.replace(value, value.replace(/'$/, "-'"))}])`]),
      ),
    }),
  },
  {
    find: /z\.iso\.datetime\(\{ offset: true \}\)/g,
    parts: both,
    variants: () => ({
      "refuses offsets": "z.iso.datetime()",
      "takes times of no place": "z.iso.datetime({ offset: true, local: true })",
      "takes any text as a time": "z.string()",
    }),
  },
  // In a query every value is a text.
  { find: /z\.string\(\)/g, parts: ["body"], variants: () => ({ "takes what is no text": "z.coerce.string()" }) },
  { find: /z\.int\(\)/g, parts: ["body"], variants: () => ({ "takes fractions": "z.number()" }) },
  { find: /z\.object\(/g, parts: ["body"], variants: () => ({ "refuses unknown members": "z.strictObject(" }) },
  {
    find: /(?<=\n {4}\w+: (?:(?!nullish|optional).)*[^,])(?=,?\n)/g,
    parts: ["body"],
    variants: () => ({ "may be missing": ".optional()" }),
  },
  {
    find: /(?<=\n {4}\w+: (?:(?!nullish).)*[^,])(?=,?\n)/g,
    parts: ["body"],
    variants: () => ({ "may be null": ".nullable()" }),
  },
];

const schemaFile = "spec/src/schemas.gen.ts";
const schemaText = read(schemaFile);

const declarationOf = (name: string): string =>
  new RegExp(`\\nexport const ${name} = [^]*?;\\n`).exec(schemaText)?.[0] ?? "";

/** A request schema's declaration with those that it names. */
function declarationsOf(name: string): Map<string, string> {
  const declaration = declarationOf(name);
  const inner = [...declaration.matchAll(/\bz[A-Z]\w*/g)].map(([found]) => found).filter((found) => found !== name);
  return new Map([[name, declaration], ...inner.flatMap((found) => [...declarationsOf(found)])]);
}

function schemaMutants(part: Part, operation: string, name: string, declaration: string): RuleMutant[] {
  return changes
    .filter(({ parts }) => parts.includes(part))
    .flatMap(({ find, variants }) =>
      [...declaration.matchAll(find)].flatMap((match) => {
        const [before, after] = [declaration.slice(0, match.index), declaration.slice(match.index + match[0].length)];
        const field = [...before.matchAll(/\n {4}(\w+): /g)].at(-1)?.[1];
        const place = [name.slice(1), ...(field ? [field] : [])].join(".");
        return Object.entries(variants(match)).map(
          ([what, text]): RuleMutant => ({
            name: `${place} ${what}`,
            rule: "§4, §8",
            file: schemaFile,
            from: declaration,
            to: before + text + after,
            first: new RegExp(`^invalid input: ${operation} .*${field ?? ""}`),
          }),
        );
      }),
    );
}

const schemas: readonly RuleMutant[] = Object.entries(requestSchemas).flatMap(([operation, parts]) =>
  (Object.keys(parts) as (Part | "path")[]).flatMap((part) => {
    const name = new RegExp(`${operation}: \\{[^}]*\\b${part}: (\\w+)`).exec(schemaText)?.[1] ?? "";
    // What an id in the path must look like is a rule of the backend's.
    if (part === "path") return [];
    return [...declarationsOf(name)].flatMap(([declared, text]) => schemaMutants(part, operation, declared, text));
  }),
);

const limitsFile = "spec/src/limits.gen.ts";
const backendText = readdirSync(new URL("backend/src/", packages), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith(".gen.ts"))
  .map((file) => read(`backend/src/${file}`))
  .join("\n");

/** The entries of the limits that the backend reads; the others are the client's. */
const limits: readonly RuleMutant[] = [...read(limitsFile).matchAll(/\n {2}"?([^\s"]+)"?: (\d+|"[^"\n]*")(?=,?\n)/g)]
  .filter(([, name = ""]) => new RegExp(`\\b(limits|signature)\\.${escaped(name)}\\b`).test(backendText))
  .flatMap(([from, name = "", value = ""]) => {
    const values = /^\d+$/.test(value)
      ? { "is one less": Number(value) - 1, "is one more": Number(value) + 1 }
      : { "is another text": value.replace(/"$/, '_"') };
    return Object.entries(values).map(
      ([what, changed]): RuleMutant => ({
        name: `${name} ${value} ${what}`,
        rule: "§5, §6, §8",
        file: limitsFile,
        from,
        to: from.slice(0, -value.length) + String(changed),
        first: /^(webhooks|destinations|calls|authentication):/,
      }),
    );
  });

const operationsFile = "spec/src/operations.gen.ts";
const operationsText = read(operationsFile);
const everyRole = [...new Set(operationIds.flatMap((id) => operations[id].roles as readonly string[]))];
const everyScope = [...new Set(operationIds.map((id) => operations[id].scope))];

function operationMutants(id: OperationId): RuleMutant[] {
  const block = new RegExp(`\\n {2}${id}: \\{\\n[^]*?\\n {2}\\}`).exec(operationsText)?.[0] ?? "";
  const { accountScoped, roles, scope, hasBody, queryParameters, pathParameters } = operations[id];
  const permitted: readonly string[] = roles;
  const changed = (what: string, rule: string, find: string | RegExp, text: string): RuleMutant => ({
    name: `${id} ${what}`,
    rule,
    file: operationsFile,
    from: block,
    to: block.replace(find, text),
    first: new RegExp(`^(permissions|authentication|invalid input): ${id} `),
  });
  const rolesOf = (names: readonly string[]) => `roles: ${JSON.stringify(names)}`;
  const withRoles = (what: string, names: readonly string[]) =>
    changed(what, "§5.5", /roles: \[[^\]]*\]/, rolesOf(names));
  // Only a path that names a member can name the caller.
  const others = everyRole.filter((role) => !permitted.includes(role) && role !== "self");
  return [
    ...(accountScoped
      ? permitted.map((role) =>
          withRoles(
            `refuses ${role}`,
            permitted.filter((one) => one !== role),
          ),
        )
      : []),
    ...(accountScoped ? others.map((role) => withRoles(`serves ${role}`, [...permitted, role])) : []),
    changed("asks for another scope", "§5.3", scope, everyScope.find((other) => other !== scope) ?? ""),
    changed(
      `is ${accountScoped ? "not " : ""}account-scoped`,
      "§5.2",
      `accountScoped: ${accountScoped}`,
      `accountScoped: ${!accountScoped}`,
    ),
    ...(pathParameters.length === 0 && !hasBody
      ? [changed("asks for a body", "§4", "hasBody: false", "hasBody: true")]
      : []),
    ...Object.entries(queryParameters)
      .filter(([, type]) => type !== "string")
      .map(([name, type]) => changed(`reads ${name} as text`, "§4.6", `${name}: "${type}"`, `${name}: "string"`)),
  ];
}

const codesFile = "spec/src/error-codes.gen.ts";
const codesText = read(codesFile);

/** Codes whose status the specification states, each with another one, and those that name fields, without them. */
const codes: readonly RuleMutant[] = Object.entries(errorCodes).flatMap(([code, { status, hasFieldErrors }]) => {
  const block = new RegExp(`\\n {2}${code}: \\{.*\\}`).exec(codesText)?.[0] ?? "";
  const changed = (what: string, find: RegExp, text: string): RuleMutant => ({
    name: `${code} ${what}`,
    rule: "§7.2",
    file: codesFile,
    from: block,
    to: block.replace(find, text),
    first: new RegExp(`^codes on demand: ${code} `),
  });
  return [
    ...(status === null ? [] : [changed(`answers ${status + 1}`, /mockStatus: \d+/, `mockStatus: ${status + 1}`)]),
    ...(hasFieldErrors ? [changed("names no fields", /hasFieldErrors: true/, "hasFieldErrors: false")] : []),
  ];
});

/** Every mutant that follows from the tables, under the words for its kind. */
export const derivedMutants: Readonly<Record<string, readonly RuleMutant[]>> = {
  "Keywords of request schemas": schemas,
  "Limits outside the schemas": limits,
  "Requirements of an operation on its caller": operationIds.flatMap(operationMutants),
  "Statuses of error codes": codes,
};
