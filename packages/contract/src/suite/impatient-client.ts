import type { CallTransfer, ClientOptions } from "@call-transfer/sdk";
import { limits } from "../facts/limits.ts";
import { connect } from "./client.ts";
import type { Target, TimeRecord } from "./target.ts";

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

/** Timers from this length on are deadlines of attempts, shorter ones waits between them. */
const shortestDeadlineMs = limits.clientTimeoutSecs * 1000 * (3 / 4);

/** A client clock on which waits end at once. Deadlines of attempts only fire with `givesUpOnce`, and only once. */
function impatientClock({ waits, limitsOfAttempts, firstDeadlineMs }: TimeRecord) {
  let now = 0;
  let deadlines = firstDeadlineMs === undefined ? 0 : 1;
  const clock: ClientOptions["clock"] = {
    now: () => now,
    setTimeout(callback, delayMs) {
      if (delayMs >= shortestDeadlineMs) {
        limitsOfAttempts.push(delayMs);
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
  return clock;
}

/** A client with the SDK's own number of retries and timeout, and a record of its requests and waits. */
export interface ImpatientClient {
  readonly client: CallTransfer;
  readonly waits: readonly number[];
  /** The time that each attempt may take, in milliseconds. */
  readonly limitsOfAttempts: readonly number[];
  readonly sent: { readonly count: number };
}

/** Creates a client whose retries do not wait. With `givesUpOnce` the deadline of its first attempt fires. */
export async function connectImpatient(
  target: Target,
  givesUpOnce = false,
  retry?: ClientOptions["retry"],
): Promise<ImpatientClient> {
  const deadline = givesUpOnce && { firstDeadlineMs: patience.turns * patience.turnMs };
  const time: TimeRecord = { waits: [], limitsOfAttempts: [], ...deadline };
  const sent = { count: 0 };
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.count += 1;
    return target.fetch(input, init);
  };
  // With the default number of retries.
  const options = { clock: impatientClock(time), fetch, maxRetries: undefined, retry, random: () => 0 };
  const client = await connect(target, undefined, options, time);
  return { client, waits: time.waits, limitsOfAttempts: time.limitsOfAttempts, sent };
}
