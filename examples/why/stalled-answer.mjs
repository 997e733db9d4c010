// The server places the call and begins its answer, but never completes it.
// Does a timeout of 2 s end the wait?
import { setTimeout as sleep } from "node:timers/promises";
import { compare, inShort } from "./clients.mjs";

// While the server's clock is frozen, it sends the headers and no body.
const options = {
  clockMode: "frozen",
  faults: ["createCall slow_body always"],
};

await compare(options, async (place, count) => {
  const ended = place({ timeout: 2000 }).then(() => "placed", inShort);
  const waits = sleep(15_000, "still waits after 15 s");
  const outcome = await Promise.race([ended, waits]);
  return [`calls placed: ${count().calls}`, outcome];
});
