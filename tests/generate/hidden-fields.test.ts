import { describe, expect, it } from "vitest";
import { loadDocument } from "../../scripts/generate/read/document.ts";
import { hiddenFieldsOf } from "../../scripts/generate/read/hidden-fields.ts";

const document = await loadDocument();

/** The document with an operation that lists destinations. */
function withList(schema: object) {
  const changed = structuredClone(document);
  changed.components.schemas.DestinationList = { type: "object", properties: { destinations: schema } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/DestinationList" } } };
  changed.paths["/api/v1/transfers/destinations"] = {
    get: { operationId: "listDestinations", responses: { "200": { description: "All", content } } },
  };
  return changed;
}

describe("the fields that an operation must not show", () => {
  it("are none for the operation that x-returned-by names", () => {
    expect(hiddenFieldsOf(document).get("rotateDestinationSecret")).toBeUndefined();
  });

  it("are found behind references and in lists", () => {
    const changed = withList({ type: "array", items: { $ref: "#/components/schemas/TransferDestination" } });
    expect(hiddenFieldsOf(changed).get("listDestinations")).toEqual(["signingSecret"]);
  });

  it("are found in the schema itself", () => {
    const changed = withList({ type: "object", properties: { key: { type: "string", "x-returned-by": [] } } });
    expect(hiddenFieldsOf(changed).get("listDestinations")).toEqual(["key"]);
  });
});
