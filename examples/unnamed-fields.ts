import type { CallTransfer, CreateCallRequest } from "@call-transfer/sdk";

// Names fields for the whole program. Nothing promises that the API sends or
// reads them, so they are optional.
declare module "@call-transfer/sdk" {
  interface CreateCallRequest {
    /** The campaign that the call belongs to. */
    campaignId?: string;
  }
  interface Call {
    /** State of the call, e.g. `completed`. */
    status?: string;
  }
}

/** Places a call for a campaign. */
export const placeFor = (
  client: CallTransfer,
  campaignId: string,
  call: CreateCallRequest,
) => client.calls.create({ ...call, campaignId });

/** The state of each call, and when it was placed. */
export async function history(client: CallTransfer): Promise<unknown[]> {
  const calls = await client.calls.list().toArray({ maxItems: 100 });
  // `in` reads a field without naming it. Its type is unknown.
  return calls.map((call) => [
    call.status,
    "createdAt" in call && call.createdAt,
  ]);
}
