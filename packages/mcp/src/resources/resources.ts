// What an assistant can read: guides, error codes and the document of the API.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type ErrorCodeDescription, errorCodes, type OperationDescription, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };

/** Something to read, under a fixed address. */
export interface Readable {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "application/json" | "text/markdown";
  readonly text: () => string;
}

const scheme = "call-transfer:/";

/** The address of a guide. */
export const guideUri = (name: string): string => `${scheme}/guides/${name}`;
/** The address of one error code, as a template. */
export const codeUri = `${scheme}/errors/{code}`;
/** The address of the list of error codes. */
export const codesUri = `${scheme}/errors`;
/** The address of the OpenAPI document. */
export const documentUri = `${scheme}/openapi.json`;

const codes: Readonly<Record<string, ErrorCodeDescription>> = errorCodes;
/** The names of all error codes. */
export const codeNames = Object.keys(codes);

/** Everything under a fixed address. The guides come first. */
export const readables = (guides: readonly Guide[]): Readable[] => [
  ...guides.map(({ name, ...shown }): Readable => ({ name, uri: guideUri(name), ...shown, mimeType: "text/markdown" })),
  {
    ...{ name: "errors", uri: codesUri, title: "Error codes", mimeType: "text/markdown" },
    description: `Every error code with its status and meaning. ${codeUri} says more about one.`,
    text: codesText,
  },
  {
    ...{ name: "openapi", uri: documentUri, title: "OpenAPI document", mimeType: "application/json" },
    description:
      "Every operation, field, limit and error response of the API, as OpenAPI 3.1. Large: prefer the tools.",
    text: () => JSON.stringify(document),
  },
];

function codesText(): string {
  const rows = Object.entries(codes).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status ?? "–"} | ${meaning} |`,
  );
  return `# Error codes\n\n| Code | Status | Meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** What is known about an error code; undefined for an unknown one. */
export function codeText(code: string): string | undefined {
  if (!Object.hasOwn(codes, code)) return undefined;
  const { status, title, meaning, fromSpecification, hasFieldErrors, noEffect } = codes[code] as ErrorCodeDescription;
  const returning = Object.values<OperationDescription>(operations)
    .filter(({ errorCodes: returned }) => returned.includes(code))
    .map(({ id }) => `\`${id}\``);
  const facts = [
    meaning,
    `Status: ${status ?? "not defined by the specification"}. Category: ${title}.`,
    returning.length === 0 ? "No operation of this API returns it." : `Returned by ${returning.join(", ")}.`,
    ...(hasFieldErrors ? ["`errors` in the body lists each field that is wrong."] : []),
    ...(noEffect ? ["The request had no effect."] : []),
    ...(fromSpecification ? [] : ["The specification does not explain this code. The meaning is assumed."]),
  ];
  return `# ${code}\n\n${facts.join("\n\n")}\n`;
}

/** A guide. */
export interface Guide {
  /** Name in its address, such as `placing-calls`. */
  readonly name: string;
  readonly title: string;
  /** Its subject, in a few sentences. */
  readonly description: string;
  /** Reads it, as Markdown. */
  readonly text: () => string;
}

/** The guides that the llms.txt of a package lists. None if it has none, as the sources in a clone. */
export function guidesIn(folder: string): Guide[] {
  const list = join(folder, "llms.txt");
  if (!existsSync(list)) return [];
  const lines = readFileSync(list, "utf8").matchAll(/^- \[(.+?)\]\(guides\/(.+?)\.md\): (.+)$/gm);
  return [...lines].map(([, title = "", name = "", description = ""]) => ({
    ...{ name, title, description },
    text: () => readFileSync(join(folder, "guides", `${name}.md`), "utf8"),
  }));
}

/** The guides of the installed package. None where its code was bundled into another program. */
export function ownGuides(): Guide[] {
  try {
    return guidesIn(dirname(createRequire(import.meta.url).resolve("@call-transfer/mcp/package.json")));
  } catch {
    return [];
  }
}
