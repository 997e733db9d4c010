// Apart from the rest of the contract, because the page reads it on demand.
import document from "@call-transfer/spec/openapi.json" with { type: "json" };

/** The OpenAPI document of the API. */
export const apiDocument: object = document;
