// Mutants of the generated tables: each limit, keyword, permission and status that stands there, changed by itself.
import { readdirSync } from "node:fs";
import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { type Mutant, sourceOf } from "./plant.ts";

/** A mutant of a generated table, whose whole entry `from` becomes `to`. */
const changed = (place: Omit<Mutant, "plant">, from: string, to: string): Mutant => ({
  ...place,
  plant: (source) => {
    if (from === "" || source.split(from).length !== 2)
      throw new Error(`${place.name}: packages/${place.file} does not hold once: ${from}`);
    return source.replace(from, () => to);
  },
});

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
const schemaText = sourceOf(schemaFile);

const declarationOf = (name: string): string =>
  new RegExp(`\\nexport const ${name} = [^]*?;\\n`).exec(schemaText)?.[0] ?? "";

/** A request schema's declaration with those that it names. */
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
        const field = [...before.matchAll(/\n {4}(\w+): /g)].at(-1)?.[1];
        const place = [name.slice(1), ...(field ? [field] : [])].join(".");
        return Object.entries(variants(match)).map(
          ([what, text]): Mutant =>
            changed(
              {
                name: `${place} ${what}`,
                group: "Keywords of request schemas",
                rule: "§4, §8",
                file: schemaFile,
                first: new RegExp(`^invalid input: ${operation} .*${field ?? ""}`),
              },
              declaration,
              before + text + after,
            ),
        );
      }),
    );
}

const schemas: readonly Mutant[] = Object.entries(requestSchemas).flatMap(([operation, parts]) =>
  (Object.keys(parts) as (Part | "path")[]).flatMap((part) => {
    const name = new RegExp(`${operation}: \\{[^}]*\\b${part}: (\\w+)`).exec(schemaText)?.[1] ?? "";
    // What an id in the path must look like is a rule of the backend's.
    if (part === "path") return [];
    return [...declarationsOf(name)].flatMap(([declared, text]) => schemaMutants(part, operation, declared, text));
  }),
);

const limitsFile = "spec/src/limits.gen.ts";
const backendText = readdirSync(new URL("../../packages/backend/src/", import.meta.url), {
  recursive: true,
  encoding: "utf8",
})
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith(".gen.ts"))
  .map((file) => sourceOf(`backend/src/${file}`))
  .join("\n");

/** The entries of the limits that the backend reads; the others are the client's. */
const limits: readonly Mutant[] = [...sourceOf(limitsFile).matchAll(/\n {2}"?([^\s"]+)"?: (\d+|"[^"\n]*")(?=,?\n)/g)]
  .filter(([, name = ""]) => new RegExp(`\\b(limits|signature)\\.${escaped(name)}\\b`).test(backendText))
  .flatMap(([from, name = "", value = ""]) => {
    const values = /^\d+$/.test(value)
      ? { "is one less": Number(value) - 1, "is one more": Number(value) + 1 }
      : { "is another text": value.replace(/"$/, '_"') };
    return Object.entries(values).map(
      ([what, other]): Mutant =>
        changed(
          {
            name: `${name} ${value} ${what}`,
            group: "Limits outside the schemas",
            rule: "§5, §6, §8",
            file: limitsFile,
            first: /^(webhooks|destinations|calls|authentication):/,
          },
          from,
          from.slice(0, -value.length) + String(other),
        ),
    );
  });

const operationsFile = "spec/src/operations.gen.ts";
const operationsText = sourceOf(operationsFile);
const everyRole = [...new Set(operationIds.flatMap((id) => operations[id].roles as readonly string[]))];
const everyScope = [...new Set(operationIds.map((id) => operations[id].scope))];

function operationMutants(id: OperationId): Mutant[] {
  const block = new RegExp(`\\n {2}${id}: \\{\\n[^]*?\\n {2}\\}`).exec(operationsText)?.[0] ?? "";
  const { accountScoped, roles, scope, hasBody, queryParameters, pathParameters } = operations[id];
  const permitted: readonly string[] = roles;
  const variant = (what: string, rule: string, find: string | RegExp, text: string): Mutant =>
    changed(
      {
        name: `${id} ${what}`,
        group: "Requirements of an operation on its caller",
        rule,
        file: operationsFile,
        first: new RegExp(`^(permissions|authentication|invalid input): ${id} `),
      },
      block,
      block.replace(find, text),
    );
  const rolesOf = (names: readonly string[]) => `roles: ${JSON.stringify(names)}`;
  const withRoles = (what: string, names: readonly string[]) =>
    variant(what, "§5.5", /roles: \[[^\]]*\]/, rolesOf(names));
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
    variant("asks for another scope", "§5.3", scope, everyScope.find((other) => other !== scope) ?? ""),
    variant(
      `is ${accountScoped ? "not " : ""}account-scoped`,
      "§5.2",
      `accountScoped: ${accountScoped}`,
      `accountScoped: ${!accountScoped}`,
    ),
    ...(pathParameters.length === 0 && !hasBody
      ? [variant("asks for a body", "§4", "hasBody: false", "hasBody: true")]
      : []),
    ...Object.entries(queryParameters)
      .filter(([, type]) => type !== "string")
      .map(([name, type]) => variant(`reads ${name} as text`, "§4.6", `${name}: "${type}"`, `${name}: "string"`)),
  ];
}

const codesFile = "spec/src/error-codes.gen.ts";
const codesText = sourceOf(codesFile);

/** Codes whose status the specification states, each with another one, and those that name fields, without them. */
const codes: readonly Mutant[] = Object.entries(errorCodes).flatMap(([code, { status, hasFieldErrors }]) => {
  const block = new RegExp(`\\n {2}${code}: \\{.*\\}`).exec(codesText)?.[0] ?? "";
  const variant = (what: string, find: RegExp, text: string): Mutant =>
    changed(
      {
        name: `${code} ${what}`,
        group: "Statuses of error codes",
        rule: "§7.2",
        file: codesFile,
        first: new RegExp(`^codes on demand: ${code} `),
      },
      block,
      block.replace(find, text),
    );
  return [
    ...(status === null ? [] : [variant(`answers ${status + 1}`, /mockStatus: \d+/, `mockStatus: ${status + 1}`)]),
    ...(hasFieldErrors ? [variant("names no fields", /hasFieldErrors: true/, "hasFieldErrors: false")] : []),
  ];
});

/** Every mutant that follows from the generated tables. */
export const derivedMutants: readonly Mutant[] = [
  ...schemas,
  ...limits,
  ...operationIds.flatMap(operationMutants),
  ...codes,
];
