// The reference of the API and of the control plane, from their OpenAPI documents.
import { demo } from "@call-transfer/backend";
import { type OperationId, operations, webhookSignature } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../build/markdown.ts";
import { controlPages } from "./api/control-pages.ts";
import { fieldsOf, fieldTable, type Schemas } from "./api/fields.ts";
import { operationPage } from "./api/operation-page.ts";
import { withCitations } from "./links.ts";

const ids = Object.keys(operations) as OperationId[];

type WebhookEvent = keyof typeof document.webhooks;
const webhookEvents = Object.keys(document.webhooks) as WebhookEvent[];

/** The place of an event's page in the reference of the API, without `.md`. */
const webhookPath = (event: WebhookEvent): string => `webhook-${event.replaceAll(".", "-")}`;

function overview(): Page {
  const rows = ids.map((id) => {
    const {
      summary,
      method,
      path,
      section = "",
      idempotency,
    } = operations[id] as (typeof operations)[OperationId] & { section?: string };
    return `| [${summary}](${id}.md) | \`${method} ${path}\` | \`${idempotency}\` | ${section} |`;
  });
  const events = webhookEvents.map(
    (event) => `- [\`${event}\`](${webhookPath(event)}.md): ${document.webhooks[event].post.summary}.`,
  );
  const text = `# The API

${document.info.summary} Requests and responses are JSON, times are ISO 8601, identifiers are strings.

| Operation | Request | Retry class | Section |
|---|---|---|---|
${rows.join("\n")}

The retry class says what the [SDK does after a failure](../../resilience.md). A request authenticates with an API key or a JWT
([authentication](../../authentication.md)). Every error has a [code](../../errors/index.md).

## Webhooks

${events.join("\n")}

## More

- [Try operations in the playground](../../playground.md), without a server
- [The control plane of the mock server](../control/index.md)
- The OpenAPI document is in the package: \`@call-transfer/spec/openapi.json\`
`;
  return { path: "reference/api/index.md", text: withCitations(text, "../../") };
}

/** The page of an event. */
function webhookPage(event: WebhookEvent): Page {
  const { post } = document.webhooks[event];
  const { schema, examples } = post.requestBody.content["application/json"];
  const [example] = Object.values(examples);
  const [signature] = post.parameters;
  const answers = Object.entries(post.responses).map(([status, { description }]) => `| ${status} | ${description} |\n`);
  const text = `# ${post.summary}

<Badge type="info" text="POST" /> \`${event}\`

${post.description} Where the specification is silent: ${post["x-assumption"]}.

- **Signature**: the header \`${webhookSignature.header}\`. ${signature?.description}
- **In the SDK**: [\`verifyWebhook()\`](../sdk/webhooks/functions/verifyWebhook.md), [\`createWebhookHandler()\`](../sdk/webhooks/functions/createWebhookHandler.md)
- **Guide**: [Webhooks](../../webhooks.md)

## Body

${fieldTable(fieldsOf(schema, document.components.schemas as Schemas))}
\`\`\`json
${JSON.stringify(example?.value, undefined, 2)}
\`\`\`

## Answers

| Status | Meaning |
|---|---|
${answers.join("")}
## Send one

With a running server (\`npx @call-transfer/mock-server\`), this sends the event to the address of the demo app:

\`\`\`sh
npx @call-transfer/mock-server webhooks trigger --destination ${demo.destinations.app}
\`\`\`
`;
  return { path: `reference/api/${webhookPath(event)}.md`, text: withCitations(text, "../../") };
}

/** The pages of the API and of the control plane. */
export async function apiPages(): Promise<Page[]> {
  const pages = await Promise.all(ids.map(operationPage));
  return [overview(), ...pages, ...webhookEvents.map(webhookPage), ...controlPages()];
}
