import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

/**
 * An app's own test needs no server and no port: the SDK calls the backend as a
 * function.
 */
export async function availabilityAfterAnHour() {
  const backend = createBackend();
  const client = new CallTransfer({
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    fetch: backend.fetch,
  });

  const before = await client.members.getAvailability(demo.members.member);
  await backend.clock.advance({ by: 60 * 60 * 1000 });
  const after = await client.members.getAvailability(demo.members.member);
  return [before.status, after.status];
}
