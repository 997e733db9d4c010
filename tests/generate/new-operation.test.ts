import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { newOperation } from "../../scripts/generate/new-operation.ts";
import { problemsIn } from "../../scripts/generate/read/problems.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "call-transfer-new-operation-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is left to fill in after the skeleton was written into a copy of openapi/. */
function leftToWrite(name: string, files: Map<string, string>): string[] {
  const copy = join(folder, name);
  cpSync(join(root, "openapi"), join(copy, "openapi"), { recursive: true });
  for (const [path, text] of files) if (path.startsWith("openapi/")) writeFileSync(join(copy, path), text);
  return problemsIn(pathToFileURL(`${copy}/openapi/`)).map(({ message }) => message.replace(/\. Write.*/, ""));
}

describe("npm run generate -- operation", () => {
  it("leaves only the decisions about a read of one record to be made", () => {
    const path = "/api/v1/transfers/destinations/{id}/example";
    const { operationId, files } = newOperation(read, { method: "GET", path });
    expect(operationId).toBe("getDestinationExample");
    expect(leftToWrite("read", files)).toEqual([
      "getDestinationExample has no summary",
      "getDestinationExample has no description",
      "getDestinationExample has no x-roles",
      "getDestinationExample: the response 200 has no description",
      "getDestinationExample: an example of the response 200 has no summary",
    ]);
    expect([...files.keys()].filter((name) => !name.startsWith("openapi/"))).toEqual([
      "packages/backend/src/routes.ts",
      "packages/contract/src/cases/destinations.ts",
      "examples/every-operation.mjs",
    ]);
    const described = files.get("openapi/paths/destinations.yaml") ?? "";
    const decided = described
      .replace(/ (summary|description):$/gm, " $1: Says it.")
      .replace(" summary: ''", " summary: Shows it.")
      .replace(" x-roles:\n", " x-roles: [admin]\n");
    expect(leftToWrite("decided", new Map(files).set("openapi/paths/destinations.yaml", decided))).toEqual([]);
    expect(files.get("packages/backend/src/routes.ts")).toContain("body: shownDestination(destination)");
    expect(files.get("openapi/paths/destinations.yaml")).not.toMatch(/example:[\s\S]*signingSecret: /);
  });

  it("asks for the schemas and the retry class of a write", () => {
    const path = "/api/v1/transfers/members/{memberId}/hours";
    const { operationId, files } = newOperation(read, { method: "PATCH", path });
    expect(operationId).toBe("updateMemberHours");
    const left = leftToWrite("write", files);
    expect(left).toContain("updateMemberHours has no x-idempotency");
    expect(left.join()).toContain("the request body refers to");
    // The path is described already, so the method joins it.
    expect(
      files.get("openapi/paths/members.yaml")?.match(/^hours:\n {2}delete:\n(?: .*\n)+ {2}patch:/m),
    ).not.toBeNull();
    expect(files.get("openapi/openapi.yaml")).toBe(read("openapi/openapi.yaml"));
  });

  it.each([
    ["GET", "/api/v1/examples/roles", "listRoles"],
    ["DELETE", "/api/v1/transfers/destination-groups/{id}/example", "deleteDestinationGroupExample"],
    ["POST", "/api/v1/calls/{id}/example", "createCallExample"],
  ])("writes programs that parse for %s %s", (method, path, expected) => {
    const renamed = (name: string) => read(name).replaceAll("listRoles", "listRolesBefore");
    const { operationId, files } = newOperation(renamed, { method, path });
    expect(operationId).toBe(expected);
    for (const [name, text] of files) {
      if (name.endsWith(".yaml")) continue;
      const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, fileName: name });
      expect(diagnostics.map(({ messageText }) => `${name}: ${messageText}`)).toEqual([]);
      expect(text).toContain(operationId);
    }
  });

  it.each([
    ["FETCH", "/api/v1/roles", undefined, "The method FETCH is not one of the API."],
    ["GET", "/roles", undefined, "The path /roles is not one of the API."],
    ["GET", "/api/v1/campaigns", undefined, "has no segment that is a tag"],
    ["GET", "/api/v1/roles", undefined, "listRoles already"],
    ["GET", "/api/v1/roles", "listRolesAgain", "GET /api/v1/roles is described in openapi/paths/roles.yaml already"],
  ])("refuses %s %s %s and says what to change", (method, path, operationId, message) => {
    expect(() => newOperation(read, { method, path, operationId })).toThrow(message);
  });
});
