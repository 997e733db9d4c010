// Writes the SDK's log with pino.
import { CallTransfer } from "@call-transfer/sdk";
import { pino } from "pino";

const log = pino({ level: "debug" });
const client = new CallTransfer({
  // The SDK logs each attempt at debug and each retry at warn. No message contains a secret.
  logger: log.child({ module: "call-transfer" }),
  // For the SDK alone. Without it, CALL_TRANSFER_LOG decides.
  ...(process.env.NODE_ENV === "production" && { logLevel: "warn" }),
});

const listed = await client.calls.list({ limit: 20 }).result();
if (listed.data) log.info({ total: listed.data.meta.total }, "calls listed");
// pino adds the error's code, its outcome, and its attempts with their request ids.
else log.error(listed.error);
