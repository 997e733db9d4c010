// The reference of the API and of the control plane, from their OpenAPI documents.
import { type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../build/markdown.ts";
import { controlPages } from "./api/control-pages.ts";
import { operationPage } from "./api/operation-page.ts";
import { webhookEvents, webhookPage, webhookPath } from "./api/webhook-page.ts";
import { withCitations } from "./citations.ts";

const ids = Object.keys(operations) as OperationId[];

function overview(): Page {
  const rows = ids.map((id) => {
    const {
      summary,
      method,
      path,
      section = "",
      retry,
    } = operations[id] as (typeof operations)[OperationId] & { section?: string };
    return `| [${summary}](${id}.md) | \`${method} ${path}\` | \`${retry}\` | ${section} |`;
  });
  const events = webhookEvents.map(
    (event) => `- [\`${event}\`](${webhookPath(event)}.md): ${document.webhooks[event].post.summary}.`,
  );
  const text = `---
pageClass: reference
---

# The API

${document.info.summary} Requests and responses are JSON, times are ISO 8601, identifiers are strings.

| Operation | Request | Retry class | Section |
|---|---|---|---|
${rows.join("\n")}

The retry class says what the [SDK does after a failure](../../resilience.md). A request authenticates with an API key or a JWT
([authentication](../../authentication.md)). Every error has a [code](../../errors/index.md).

## Webhooks

${events.join("\n")}

## More

- [Try every operation in the page](try.md), without a server
- [The control plane of the mock server](../control/index.md)
- The OpenAPI document is in the package: \`@call-transfer/spec/openapi.json\`
`;
  return { path: "reference/api/index.md", text: withCitations(text, "../../") };
}

const interactive: Page = {
  path: "reference/api/try.md",
  text: `---
layout: doc
aside: false
---

# Try the API

“New request” sends any operation, as an owner, with an expired token or without one. “Errors” has every error code: press one, and the
next request returns it. A [backend](../../backend.md) in this page answers: nothing leaves your browser. Reload the page to begin
again. This is the [inspector](../../inspector.md) of the mock server.

<TryApi />
`,
};

/** The pages of the API and of the control plane. */
export async function apiPages(): Promise<Page[]> {
  const pages = await Promise.all(ids.map(operationPage));
  return [overview(), interactive, ...pages, ...webhookEvents.map(webhookPage), ...controlPages()];
}
