import type { WorldClock } from "../model/clock.ts";

/** A delivery that a fault holds back. */
export interface HeldSend {
  /** The id of the delivery. */
  readonly id: string;
  readonly destinationId: string;
  /** The time of sending at the latest, in milliseconds since the epoch. */
  readonly at: number;
  /** Whether it is sent earlier, once the next delivery to the destination is over. */
  readonly afterNext: boolean;
  start(): void;
  /** Called instead of `start` if it is never sent. */
  giveUp(): void;
}

/** The kind of the timer of a held delivery. Snapshots leave it out, like every delivery. */
const sendTimer = "webhook.sends";

/** The deliveries that faults hold back, until their time or until they are released. */
export class HeldSends {
  readonly #clock: WorldClock;
  /** By id, in the order in which they were held. */
  readonly #held = new Map<string, HeldSend>();

  constructor(clock: WorldClock) {
    this.#clock = clock;
  }

  hold(send: HeldSend): void {
    this.#held.set(send.id, send);
    this.#clock.schedule(send.at, () => this.release(send), { kind: sendTimer, id: send.id });
  }

  /** Those that wait until the next delivery to their destination, which begins now, is over. */
  waitingForNext(destinationId: string): readonly HeldSend[] {
    return [...this.#held.values()].filter((send) => send.afterNext && send.destinationId === destinationId);
  }

  /** Starts a delivery, unless it has started or was given up. */
  release(send: HeldSend): void {
    if (this.#held.get(send.id) !== send) return;
    this.#held.delete(send.id);
    this.#clock.cancel({ kind: sendTimer, id: send.id });
    send.start();
  }

  /** Gives all of them up. */
  clear(): void {
    const sends = [...this.#held.values()];
    this.#held.clear();
    for (const send of sends) send.giveUp();
  }
}
