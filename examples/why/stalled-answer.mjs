// The server places the call and begins its answer, but never completes it. Does a timeout of 2 s end the wait?
import { setTimeout as sleep } from "node:timers/promises";
import { compare, inShort } from "./clients.mjs";

// While the server's clock is frozen, it sends the headers and no body.
await compare({ clock: "frozen", faults: ["createCall slowBody always"] }, async (place, count) => {
  const ended = place({ timeout: 2000 }).then(() => "placed", inShort);
  const outcome = await Promise.race([ended, sleep(15_000, "still waits after 15 s")]);
  return `calls placed: ${count().calls}, ${outcome}`;
});
