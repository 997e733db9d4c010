import { type OperationDescription, operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { createBackend } from "../src/backend.ts";
import { ruleOf } from "../src/control/request-handlers.ts";
import { specificationSections } from "../src/generated/specification.gen.ts";
import { control, send } from "./test-client.ts";

const sectionsOfSteps = ["§4", "§5.2", "§5.3", "§5.4", "§5.5", "§7.1", "§7.2", "§8.1", "§8.2"];
const cited = [
  ...sectionsOfSteps,
  ...Object.values<OperationDescription>(operations).map(({ section }) => section),
].filter((section) => section !== undefined);

describe("the texts of the specification", () => {
  it.each([...new Set(cited)])("include %s, which the backend cites", (section) => {
    expect(specificationSections[section]).toMatchObject({
      title: expect.stringMatching(/\S/),
      text: expect.stringMatching(/\S/),
    });
  });

  it("explain an error code that the section does not contain by the table of codes", () => {
    const decidedBy = { step: "operation", section: "§4.6" } as const;
    const call = { decidedBy, method: "POST", path: "/api/v1/calls", status: 422 };
    expect(ruleOf({ ...call, code: "outside_callable_hours" })).toMatchObject({ section: "§7.2" });
    expect(ruleOf({ ...call, code: "contact_on_dnc_list" })).toMatchObject({
      section: "§4.6",
      text: "POST /api/v1/calls places a call.",
    });
  });

  it("are shown with a request, of its status, code or operation", async () => {
    const backend = createBackend({ controlPlane: true });
    const shown = async (target: string, request: Parameters<typeof send>[2] = {}) => {
      await send(backend, target, request);
      return (await control(backend, `GET /requests/${backend.requests.count}`)).body.rule;
    };
    expect(await shown("GET /roles")).toMatchObject({
      section: "§4.5",
      title: "GET /api/v1/roles",
      text: "An object whose required field `roles` is a list of RoleDefinition",
    });
    expect(await shown("GET /roles", { token: null })).toMatchObject({
      section: "§5.4",
      title: "Authentication",
      text: expect.stringContaining("`token_missing`"),
    });
    expect(await shown("GET /calls")).toMatchObject({ section: "§4.6", text: "GET /api/v1/calls lists calls." });
    backend.faults.add("GET * 418");
    expect(await shown("GET /accounts")).toBeUndefined();
  });
});
