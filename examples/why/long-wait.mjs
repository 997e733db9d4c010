// A rate limit asks for a wait of an hour. Does the caller learn about it, and does an abort end the wait?
import { setTimeout as sleep } from "node:timers/promises";
import { compare } from "./clients.mjs";

const options = { policies: { retryAfterHeader: true }, faults: ["createCall rateLimit 1h always"] };

await compare(options, async (place, count) => {
  const controller = new AbortController();
  const ended = place({ timeout: 2000, signal: controller.signal }).catch((error) => {
    const reason = error.retrySkippedReason;
    return `${error.constructor.name}${reason ? `, not retried: ${reason}` : ""}`;
  });
  const within10s = (late) => Promise.race([ended, sleep(10_000, late)]);
  const outcome = await within10s("waits");
  controller.abort();
  const afterAbort = outcome === "waits" ? `, after an abort: ${await within10s("still waits")}` : "";
  return `requests: ${count().requests}, ${outcome}${afterAbort}`;
});
