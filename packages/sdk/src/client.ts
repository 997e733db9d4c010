import { ResourceClient } from "./generated/resources.gen.ts";

/**
 * The client of the call-transfer API.
 *
 * @example
 * const client = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: process.env.CALL_TRANSFER_API_KEY });
 * const group = await client.destinationGroups.create({ name: "Front desk", members: [{ destinationId }] });
 */
export class CallTransfer extends ResourceClient {}
