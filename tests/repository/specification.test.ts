import { readFileSync } from "node:fs";
import { errorCodes, limits, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { anchorOf, type Table, tablesIn } from "../../scripts/markdown.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/specification.md");
const tables = tablesIn(page);

const plain = (cell = "") => cell.replaceAll("`", "");
const range = ({ minimum, maximum }: { minimum: number; maximum: number }) => `${minimum} to ${maximum}`;
const tableWith = (heading: string, column: string): Table => {
  const found = tables.find((table) => table.heading.startsWith(heading) && column in (table.rows[0] ?? {}));
  if (!found) throw new Error(`docs/specification.md has no table with the column ${column} under ${heading}. Add it.`);
  return found;
};

/** Additions to the specification carry this mark. The page does not have them. */
interface Marked {
  readonly "x-beyond-specification"?: boolean;
}
const isSpecified = (node: Marked): boolean => node["x-beyond-specification"] !== true;
const specified = <Row extends Marked>(rows: Readonly<Record<string, Row>>): [string, Row][] =>
  Object.entries(rows).filter(([, row]) => isSpecified(row));

interface Code extends Marked {
  readonly group: string;
  readonly status?: number;
  readonly stated?: boolean;
}
const codes = specified<Code>(document["x-error-table"]);
const fieldCodes: Readonly<Record<string, Marked & { readonly meaning: string }>> = document["x-field-error-table"];

interface Property extends Marked {
  readonly type?: string | string[];
  readonly anyOf?: readonly { type?: string }[];
}
interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Property>>;
}
const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;

describe("docs/specification.md", () => {
  it("gives each section and each rule an anchor with its number", () => {
    let section = "";
    const numbered = [...page.matchAll(/^(?:#+ |(\d+)\. )<a id="([^"]+)"><\/a>(\d+(?:\.\d+)?)?/gm)];
    const expected = numbered.map(([, rule, , number]) => {
      section = number ?? section;
      return anchorOf(rule ? `${section.split(".")[0]}.${rule}` : section);
    });
    expect(numbered.map(([, , anchor]) => anchor)).toEqual(expected);
    expect(page.match(/<a id=/g)?.length).toBe(numbered.length);
  });

  it("lists every error code in its group with its status", () => {
    const listed = tables
      .filter(({ rows: [row = {}] }) => "Code" in row && "Status" in row && "Note" in row)
      .flatMap(({ heading, rows }) => rows.map((row) => [plain(row.Code), `${heading}: ${row.Status}`]));
    const known = codes.map(([code, { group, status }]) => [code, `${group}: ${status ?? "not specified"}`]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
    expect(listed.length).toBe(known.length);
  });

  it("has notes for exactly the error codes marked stated", () => {
    const noted = tables
      .flatMap(({ rows }) => rows)
      .filter((row) => "Status" in row && row.Note)
      .map((row) => plain(row.Code));
    const stated = codes.filter(([, row]) => row.stated);
    expect(noted.sort()).toEqual(stated.map(([code]) => code).sort());
  });

  it("lists every field code", () => {
    const listed = tableWith("7.3 ", "Code").rows.map((row) => plain(row.Code));
    expect(listed.sort()).toEqual(
      specified(fieldCodes)
        .map(([code]) => code)
        .sort(),
    );
  });

  it.each([
    ["2.1 ", "TransferDestination", 0],
    ["2.2 ", "DestinationGroup", 0],
    ["2.3 ", "DestinationGroupMember", 0],
    ["2.4 ", "MemberAvailability", 0],
    ["2.5 ", "RoleDefinition", 0],
    ["2.6 ", "ErrorResponse", 0],
    ["2.6 ", "FieldError", 1],
    ["4.2 ", "CreateDestinationGroupRequest", 0],
  ])("under %s lists the fields of %s with required and nullable", (heading, name, index) => {
    const under = tables.filter((table) => table.heading.startsWith(heading) && "Field" in (table.rows[0] ?? {}));
    const listed = under[index]?.rows.map((row) => ({
      field: plain(row.Field),
      required: row.Required,
      nullable: row.Type?.endsWith(" or null"),
    }));
    const { required = [], properties = {} } = schemas[name] ?? {};
    const byField = (a: { field: string }, b: { field: string }) => a.field.localeCompare(b.field);
    const known = specified(properties).map(([field, { type, anyOf = [] }]) => ({
      field,
      required: required.includes(field) ? "yes" : "no",
      nullable: [type].flat().includes("null") || anyOf.some((alternative) => alternative.type === "null"),
    }));
    expect(listed?.sort(byField)).toEqual(known.sort(byField));
  });

  it("names every operation by method and path", () => {
    const paths: Readonly<Record<string, Readonly<Record<string, object>>>> = document.paths;
    const missing = Object.values(operations)
      .filter(({ method, path }) => isSpecified(paths[path]?.[method.toLowerCase()] ?? {}))
      .filter(({ method, path }) => !page.includes(`${method} ${path}`));
    expect(missing).toEqual([]);
  });

  it.each(["4.1 ", "4.2 ", "4.3 ", "4.4 ", "4.5 "])("under %s lists only statuses in openapi/", (heading) => {
    const { heading: title, rows } = tableWith(heading, "When");
    const operation = Object.values(operations).find(({ method, path }) => title === `${heading}${method} ${path}`);
    expect(operation?.statuses).toEqual(expect.arrayContaining(rows.map((row) => Number(row.Status))));
  });

  it("has the limits of the contract", () => {
    const { name, members, totalTimeoutSecs } = document.components.schemas.CreateDestinationGroupRequest.properties;
    const { ringTimeoutSecs } = document.components.schemas.DestinationGroupMember.properties;
    const meaningOf = (code: keyof typeof errorCodes, pattern: RegExp) => pattern.exec(errorCodes[code].meaning)?.[1];
    const validFor = /valid for (.+)\.$/;
    const hour = (of24: number) => `${of24 % 12} ${of24 < 12 ? "AM" : "PM"}`;
    expect(Object.fromEntries(tableWith("8. ", "Limit").rows.map((row) => [plain(row.Limit), row.Value]))).toEqual({
      "Members of a group": `${members.minItems} to ${members.maxItems}`,
      "Length of a group's name": `${name.minLength} to ${name.maxLength} characters, unique per account`,
      totalTimeoutSecs: `${range(totalTimeoutSecs)} seconds, ${totalTimeoutSecs.default} by default`,
      ringTimeoutSecs: `${range(ringTimeoutSecs)} seconds`,
      "Overlap with the previous secret": `${limits.previousSecretOverlapHours} hours`,
      "Validity of an email verification code": meaningOf("email_verification_code_expired", validFor),
      "Validity of a phone verification code": meaningOf("phone_verification_code_expired", validFor),
      "Validity of a password reset token": meaningOf("password_reset_token_expired", validFor),
      "Length of a password": /at least .+ characters/.exec(fieldCodes.password_too_short?.meaning ?? "")?.[0],
      "Callable hours": `${hour(limits.callableFromHour)} to ${hour(limits.callableUntilHour)} in the recipient's local time`,
      "Reset of the daily call quota": meaningOf("daily_call_limit_exceeded", /resets at (.+)\.$/),
      "Retries of the official clients": `${limits.clientMaxRetries} by default, after 408, 429 and 5xx, with exponential backoff`,
      "Timeout of the official clients": `${limits.clientTimeoutSecs} seconds by default`,
    });
  });
});
