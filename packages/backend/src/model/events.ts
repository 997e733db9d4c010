import type { Clock } from "./clock.ts";

/** Something that happened in a backend. Holds no secret. */
export interface BackendEvent {
  /** An ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** Its type, such as `call.completed` or `transfer.connected`. */
  readonly type: string;
  /** The id of the call, transfer or record that it is about. */
  readonly id?: string;
  readonly [detail: string]: unknown;
}

/** The events of one backend, sent to followers as they happen. */
export interface Events {
  /** Whether there is a follower. Without one, costly details need not be collected. */
  readonly isFollowed: boolean;
  emit(type: string, about?: Readonly<Record<string, unknown>>): void;
  /** Calls `listener` for each event until the returned function is called. `ended` runs once when the events end. */
  follow(listener: (event: BackendEvent) => void, ended?: () => void): () => void;
  /** Removes every follower. */
  end(): void;
}

/** Creates the events of one backend. `onFollow` runs for each new follower, and the function it returns when that one leaves. */
export function createEvents(clock: Pick<Clock, "iso">, onFollow: () => () => void = () => () => {}): Events {
  const followers = new Map<(event: BackendEvent) => void, () => void>();
  return {
    get isFollowed() {
      return followers.size > 0;
    },
    emit(type, about) {
      if (followers.size === 0) return;
      const event: BackendEvent = { at: clock.iso(), type, ...about };
      for (const listener of [...followers.keys()]) listener(event);
    },
    follow(listener, ended) {
      const own = (event: BackendEvent): void => listener(event);
      const leave = onFollow();
      followers.set(own, () => {
        leave();
        ended?.();
      });
      return () => {
        leave();
        followers.delete(own);
      };
    },
    end() {
      const endings = [...followers.values()];
      followers.clear();
      for (const ended of endings) ended();
    },
  };
}
