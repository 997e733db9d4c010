// The document as readers and generators elsewhere get it: what the marks of openapi/ say stands in its descriptions.
import { outsideCode } from "../../build/markdown.ts";
import { anchorOf } from "../markdown.ts";
import {
  type CodeRow,
  conditionsOf,
  IncompleteDescription,
  type OpenApiDocument,
  type OperationObject,
  openapiFolder,
  operationsOf,
  readCodeTable,
} from "./read/document.ts";
import { Place, YamlFile } from "./read/source.ts";
import { compactJson } from "./text/text.ts";

/**
 * The completed document as it is published: descriptions say who may call, the causes of errors and how events are signed,
 * explain each extension, and link to what they cite. Lists of values are written so that other generators take them.
 *
 * @throws {IncompleteDescription} An extension has no explanation.
 */
export function published(completed: OpenApiDocument): OpenApiDocument {
  const { "x-extensions": meanings = {}, ...document } = structuredClone(completed);
  const allRoles = document.components.schemas.Role?.enum as string[];
  const rows = Object.assign({}, ...readCodeTable().groups.map(({ codes }) => codes)) as Record<string, CodeRow>;
  const limits = document["x-limits"];
  for (const { operation, parameters } of operationsOf(document)) {
    operation.description += `\n\n${callersText(operation, allRoles)}\n\n${repetitionText(operation, limits)}`;
    addCauses(operation, rows, conditionsOf(operation, parameters, allRoles));
  }
  for (const { post } of Object.values(document.webhooks)) addSignedString(post);
  document.info.description += `\n\n${extensionTable(document, meanings)}`;
  document.components.schemas = withAlternatives(document.components.schemas);
  addLinks(document, document.externalDocs.url);
  return document;
}

/** Who may call an operation. */
function callersText(operation: OperationObject, allRoles: readonly string[]): string {
  const { "x-roles": roles, "x-scope": scope, "x-account-scoped": isScoped } = operation;
  const named = roles.filter((role) => role !== "self").map((role) => `\`${role}\``);
  const everyone = isScoped ? "every member of the account, in any role" : "every caller with a valid credential";
  const some = `the role${named.length > 1 ? "s" : ""} ${list.format(named)}${isScoped ? " of the account" : ""}`;
  const self = roles.includes("self") ? ", and the member in the path" : "";
  const who = (named.length < allRoles.length ? some : everyone) + self;
  return `Who may call it: ${who}. An API key needs the scope \`${scope}\`.`;
}

const repetitions = {
  idempotent: "A request whose outcome is unknown may be sent again.",
  conflict_safe:
    "A request whose outcome is unknown may be sent again: if the first one took effect, the second is refused.",
  non_idempotent:
    "Do not send a request again whose outcome is unknown, such as after a timeout: it may take effect twice (A-53).",
} as const;

/** What to do if the response is lost. */
function repetitionText(operation: OperationObject, limits: OpenApiDocument["x-limits"]): string {
  const { "x-idempotency": idempotency = "idempotent", "x-reconcile": reconcile } = operation;
  if (!reconcile) return repetitions[idempotency];
  const remedy =
    "list" in reconcile
      ? `First look for its effect in \`${reconcile.list}\`, with \`${reconcile.since}\` set to the time of the request.`
      : reconcile.explain.replace("{until}", `${limits[reconcile.untilLimit]} hours after the request`);
  return `${repetitions[idempotency]} ${remedy}`;
}

const list = new Intl.ListFormat("en-GB");

/** Lists under each error response the codes that the operation answers with it, and their causes. */
function addCauses(operation: OperationObject, rows: Record<string, CodeRow>, conditions: ReadonlySet<string>): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!/^[45]/.test(status)) continue;
    const codes = Object.keys(response.content?.["application/json"].examples ?? {});
    const lines = codes.map((code) => {
      const { causes = {}, meaning = "" } = rows[code] ?? {};
      const applying = Object.keys(causes).filter((condition) => conditions.has(condition));
      return `- \`${code}\`: ${applying.length > 0 ? applying.map((one) => causes[one]).join(" ") : meaning}`;
    });
    response.description += `\n\n${lines.join("\n")}`;
  }
}

/** Says under the header of a signature what is signed. */
function addSignedString({ parameters, "x-signature": signature }: OpenApiDocument["webhooks"][string]["post"]): void {
  const { header, algorithm, encoding, separator, toleranceSecs } = signature;
  for (const parameter of parameters.filter(({ name }) => name === header))
    parameter.description += ` The signature is the ${algorithm} of the signed string, in lower-case ${encoding}. The key is the signing secret as UTF-8. The signed string is the value of \`t\`, \`${separator}\` and the raw bytes of the body. Refuse a \`t\` that is more than ${toleranceSecs} seconds away from the present (A-31).`;
}

/** The extensions below a node, but not those in the value of another extension or of an example. */
function* extensionsIn(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key.startsWith("x-")) yield key;
    else if (key !== "value") yield* extensionsIn(child);
  }
}

function extensionTable(document: OpenApiDocument, meanings: Readonly<Record<string, string>>): string {
  const found = [...new Set(extensionsIn(document))].sort();
  const place = new Place(new YamlFile(new URL("openapi.yaml", openapiFolder), "openapi/openapi.yaml"));
  const unexplained = found.filter((name) => !meanings[name]);
  if (unexplained.length > 0)
    throw new IncompleteDescription(
      unexplained.map((name) => place.at("x-extensions").problem(`${name} is not explained. Write what it means.`)),
    );
  const rows = found.map((name) => `| \`${name}\` | ${meanings[name]} |`);
  return `| Extension | Meaning |\n|---|---|\n${rows.join("\n")}`;
}

/** Schemas in which null, and any text where a list of values is open, are alternatives, as most generators read them. */
function withAlternatives<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map((one: unknown) => withAlternatives(one)) as Node;
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withAlternatives(child)]));
  const { type, enum: values, ...beside } = copy;
  const isOpen = beside["x-open-enum"] === true;
  if (!Array.isArray(values) || !(isOpen || values.includes(null))) return copy as Node;
  const listed = { type: "string", enum: values.filter((value) => value !== null) };
  const others = [...(isOpen ? ["string"] : []), ...(values.includes(null) ? ["null"] : [])];
  return { ...beside, anyOf: [listed, ...others.map((other) => ({ type: other }))] } as Node;
}

/** Makes citations in descriptions links: `§4.2` to the specification, `A-5` to the assumptions beside it. */
function addLinks(node: unknown, specification: string): void {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === "description" && typeof child === "string") Reflect.set(node, key, withLinks(child, specification));
    else addLinks(child, specification);
  }
}

const withLinks = (text: string, specification: string): string =>
  outsideCode(text, (prose) =>
    prose
      .replace(/§(\d+(?:\.\d+)*)/g, (cited, number: string) => `[${cited}](${specification}#${anchorOf(number)})`)
      .replace(/\bA-(\d+)\b/g, (cited, number: string) => {
        return `[${cited}](${new URL(`assumptions.md#a-${number}`, specification)})`;
      }),
  );

/** The text of the published document. The error codes and their examples are tables. */
export function renderDocument(completed: OpenApiDocument): string {
  const document = published(completed);
  const tables = [document["x-error-table"], document["x-field-error-table"], document.components.examples];
  return `${compactJson(document, tables)}\n`;
}
