// The published document as Schemathesis gets it for the mock server.
import { type OperationId, operations } from "@call-transfer/spec";
import published from "@call-transfer/spec/openapi.json" with { type: "json" };
import { memberOf } from "../../packages/contract/src/document/json.ts";
import { resolved, sampleOf } from "../../site/samples.ts";

/**
 * The published document in a stricter form. It has no `default` responses, so that each status counts as undocumented
 * that an operation does not list. The examples of requests name records that the mock server has.
 */
export function judgedDocument(): unknown {
  const document: unknown = structuredClone(published);
  for (const [id, { method, path }] of Object.entries(operations)) {
    const item = memberOf(memberOf(document, "paths"), path);
    const operation = memberOf(item, method.toLowerCase());
    Reflect.deleteProperty(Object(memberOf(operation, "responses")), "default");
    const sample = sampleOf(id as OperationId);
    for (const parameter of Object(memberOf(item, "parameters") ?? [])) {
      const value = sample.path?.[String(memberOf(parameter, "name"))];
      if (value !== undefined) Reflect.set(parameter, "example", resolved(value));
    }
    const body = memberOf(memberOf(memberOf(operation, "requestBody"), "content"), "application/json");
    if (body !== undefined) Reflect.set(Object(body), "examples", { sample: { value: resolved(sample.body) } });
  }
  return document;
}

/** How many links the document has. */
export function countLinks(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return Object.entries(node).reduce(
    (sum, [key, part]) => sum + (key === "links" ? Object.keys(part).length : countLinks(part)),
    0,
  );
}
