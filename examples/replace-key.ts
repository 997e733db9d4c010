import { CallTransfer } from "@call-transfer/sdk";

let client = new CallTransfer();

/** Call it when your secret store has a new key. */
export function replaceKey(apiKey: string): void {
  client = client.withOptions({ apiKey });
}

/** What the rest of the program uses, instead of a client that it keeps. */
export const callTransfer = (): CallTransfer => client;
