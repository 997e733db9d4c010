import type { CallTransfer, ClientOptions } from "@call-transfer/sdk";
import { limits } from "@call-transfer/spec";
import { connect } from "./client.ts";
import type { Target } from "./target.ts";

/**
 * The deadline of the first attempt: `turns` timers of `turnMs` milliseconds. On a busy machine timers are late too, so
 * the request always has time to arrive.
 */
const patience = { turns: 25, turnMs: 10 };

/** A timer that can be cleared. */
interface Wait {
  timer?: ReturnType<typeof setTimeout>;
}

function startDeadline(callback: () => void): Wait {
  const wait: Wait = {};
  const turn = (left: number): void => {
    wait.timer = setTimeout(() => (left === 0 ? callback() : turn(left - 1)), patience.turnMs);
  };
  turn(patience.turns);
  return wait;
}

/** A client clock on which waits end at once. Deadlines of attempts only fire with `givesUpOnce`, and only once. */
function impatientClock(givesUpOnce: boolean) {
  const waits: number[] = [];
  let now = 0;
  let deadlines = givesUpOnce ? 1 : 0;
  const clock: ClientOptions["clock"] = {
    now: () => now,
    setTimeout(callback, delayMs) {
      if (delayMs >= limits.clientTimeoutSecs * 1000) {
        deadlines -= 1;
        return deadlines === 0 ? startDeadline(callback) : undefined;
      }
      waits.push(delayMs);
      now += delayMs;
      queueMicrotask(callback);
      return undefined;
    },
    clearTimeout: (wait) => clearTimeout((wait as Wait | undefined)?.timer),
  };
  return { clock, waits };
}

/** A client with the SDK's number of retries, and a record of its requests and waits. */
export interface ImpatientClient {
  readonly client: CallTransfer;
  readonly waits: readonly number[];
  readonly sent: { readonly count: number };
}

/** Creates a client whose retries do not wait. With `givesUpOnce` the deadline of its first attempt fires. */
export async function connectImpatient(target: Target, givesUpOnce = false): Promise<ImpatientClient> {
  const { clock, waits } = impatientClock(givesUpOnce);
  const sent = { count: 0 };
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.count += 1;
    return target.fetch(input, init);
  };
  const client = await connect(target, undefined, {
    clock,
    fetch,
    maxRetries: limits.clientMaxRetries,
    random: () => 0,
  });
  return { client, waits, sent };
}
