// Prepares the mock server for the program in this folder.
import { demo } from "@call-transfer/backend";

/** Time of the server's frozen clock, which keeps webhook signatures valid. */
export const now = "2026-03-02T15:00:00Z";

/** Creates a sandbox with the records and faults that the program needs. Returns the program's input. */
export async function stage(url: string, sandbox: string): Promise<object> {
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/_control/v1${path}`, {
      method,
      headers: { "content-type": "application/json", ...(path === "/sandboxes" ? {} : { "x-sandbox": sandbox }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  await control("POST", "/sandboxes", { name: sandbox });
  const appId = "d0000000-0000-4000-8000-0000000000aa";
  const secret = "signing-secret-of-the-runtimes-app";
  await control("POST", "/records/destinations", {
    id: appId,
    accountId: demo.accountId,
    name: "App",
    kind: "app",
    config: { url: "http://inbox.invalid/offers" },
    signingSecret: secret,
  });
  await control("POST", "/webhooks/trigger", { destinationId: appId });
  const { received } = (await control("GET", "/webhooks/inbox")) as { received: { headers: object; body: string }[] };
  await control("POST", "/faults", {
    match: { operationId: "listRoles" },
    when: { times: 1 },
    do: { code: "service_unavailable" },
  });
  await control("POST", "/faults", { match: { operationId: "listAccounts" }, when: { nth: 2 }, do: "hang" });
  return {
    baseUrl: `${url}/_sandbox/${sandbox}`,
    apiKey: demo.apiKey,
    accountId: demo.accountId,
    destinationId: demo.destinations.phone,
    memberId: demo.members.agent,
    unknownId: demo.accountId,
    appId,
    call: { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone },
    webhook: { ...received[0], secret, now: Date.parse(now) },
  };
}
