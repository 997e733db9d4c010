import type { Schema } from "@call-transfer/backend/control-client";

/** What decides a response, as a reader calls it. */
export const steps: Readonly<Record<Schema<"Decision">["step"], string>> = {
  server: "The server, before the API",
  route: "Search for the operation",
  fault: "A fault",
  credentials: "Check of the credentials",
  api_key: "Check of the API key",
  account: "Check of account and role",
  rate_limit: "Rate limit",
  path: "Check of the path",
  query: "Check of the query",
  body: "Check of the body",
  operation: "The operation",
  stub: "A stub",
  fallback: "Another server, to which it was passed on",
};
