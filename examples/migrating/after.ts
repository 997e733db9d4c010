import { CallTransfer, type CreateCallRequest } from "@call-transfer/sdk";

/**
 * The same functions over the SDK. In most programs they can go too, and the
 * program calls the SDK itself.
 */
export function createClient(
  baseUrl: string,
  apiKey: string,
  fetch = globalThis.fetch,
) {
  const client = new CallTransfer({ baseUrl, apiKey, fetch });
  return {
    placeCall: (call: CreateCallRequest) => client.calls.create(call),
    async callIds(): Promise<string[]> {
      const calls = await client.calls
        .list({ limit: 2 })
        .toArray({ maxItems: 10_000 });
      return calls.map(({ id }) => id);
    },
  };
}
