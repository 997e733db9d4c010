// A rate limit asks for a wait of an hour.
// Does the caller learn about it, and does an abort end the wait?
import { setTimeout as sleep } from "node:timers/promises";
import { compare } from "./clients.mjs";

const options = {
  policies: { sendRetryAfterHeader: true },
  faults: ["createCall rateLimit 1h always"],
};

await compare(options, async (place, count) => {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = place({ timeout: 2000, signal }).catch((error) => error);
  const within10s = () => Promise.race([ended, sleep(10_000)]);
  const error = await within10s();
  const lines = [`requests: ${count().requests}`];
  if (error) return [...lines, nameOf(error), ...reasonIn(error)];
  controller.abort();
  const afterAbort = await within10s();
  return [...lines, "waits", `after an abort: ${nameOf(afterAbort)}`];
});

function nameOf(error) {
  return error ? error.constructor.name : "still waits";
}

function reasonIn({ retrySkippedReason: reason }) {
  return reason ? [`not retried: ${reason}`] : [];
}
