// The pages of the webhooks that the platform sends.
import { demo } from "@call-transfer/backend";
import { webhookSignature } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../../build/markdown.ts";
import { withCitations } from "../citations.ts";
import { fieldsOf, fieldTable, type Schemas } from "./fields.ts";

/** The events of the document. */
export const webhookEvents = Object.keys(document.webhooks) as (keyof typeof document.webhooks)[];

/** The place of an event's page in the reference of the API, without `.md`. */
export const webhookPath = (event: string): string => `webhook-${event.replaceAll(".", "-")}`;

/** The page of an event. */
export function webhookPage(event: keyof typeof document.webhooks): Page {
  const { post } = document.webhooks[event];
  const { schema, examples } = post.requestBody.content["application/json"];
  const [example] = Object.values(examples);
  const [signature] = post.parameters;
  const answers = Object.entries(post.responses).map(([status, { description }]) => `| ${status} | ${description} |\n`);
  const text = `---
pageClass: reference
---

# ${post.summary}

<p class="endpoint"><Badge type="info" text="POST" /> <code>${event}</code></p>

${post.description} Where the specification is silent: ${post["x-assumption"]}.

| | |
|---|---|
| **Signature** | The header \`${webhookSignature.header}\`: ${signature?.description} |
| **In the SDK** | [\`verifyWebhook()\`](../sdk/webhooks/functions/verifyWebhook.md), [\`createWebhookHandler()\`](../sdk/webhooks/functions/createWebhookHandler.md) |
| **Guide** | [Webhooks](../../webhooks.md) |

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
