import type { CallTransfer, ClientOptions } from "@call-transfer/sdk";
import { limits } from "@call-transfer/spec";
import { connect } from "./client.ts";
import type { Target } from "./target.ts";

/**
 * The first attempt is given up after so many turns of so many milliseconds: long enough for any request to arrive, since
 * on a machine too busy to bring it there the turns take longer, too.
 */
const patience = { turns: 25, turnMs: 10 };

/** A wait that can be called off. */
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

/** A client's clock on which waits pass at once. Deadlines of attempts, which are longer, never come but where asked. */
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

/** A client with the SDK's own number of retries, and what it sent and waited. */
export interface ImpatientClient {
  readonly client: CallTransfer;
  readonly waits: readonly number[];
  readonly sent: { readonly count: number };
}

/** Connects a client whose retries do not wait; one that gives up once sees the deadline of its first attempt. */
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
