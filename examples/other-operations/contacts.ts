// Creates, reads and lists contacts, which the SDK has no methods for. In a
// clone:
//   npm run example -- examples/other-operations/contacts.ts
import { CallTransfer, isApiError } from "@call-transfer/sdk";
import { createRawClient } from "@call-transfer/sdk/raw";
import type { components, paths } from "./platform.ts";
import { platform } from "./stand-in.ts";

// For the real platform, leave out `fetch`, and set its `baseUrl` and your
// `apiKey`.
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: "svc_live_example",
  fetch: platform,
});
const api = createRawClient<paths>(client, { throwOnError: true });

// Paths, parameters, bodies and data have the types of your document.
const created = await api.POST("/api/v1/contacts", {
  body: { name: "Barbara", phoneNumber: "+14155550199" },
});
const contactId = created.data.id;
const { data: contact } = await api.GET("/api/v1/contacts/{contactId}", {
  params: { path: { contactId } },
});
console.log(`${contact.id} is ${contact.name}`);

// Every contact of every page.
type ContactList = components["schemas"]["ContactList"];
const contacts = client.list<ContactList>("/api/v1/contacts", {
  itemsField: "contacts",
  query: { limit: 2 },
});
for await (const { name } of contacts) console.log(name);

// Errors are those of every operation.
try {
  await api.GET("/api/v1/contacts/{contactId}", {
    params: { path: { contactId: "c-9" } },
  });
} catch (error) {
  if (!isApiError(error, "resource_not_found")) throw error;
  console.log(error.status, error.code, error.requestId);
}
