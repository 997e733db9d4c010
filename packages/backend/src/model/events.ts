import type { Clock } from "./clock.ts";

/** Something that happened in a backend. Holds no secret. */
export interface BackendEvent {
  /** When, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** What, e.g. `call.completed` or `transfer.connected`. */
  readonly type: string;
  /** What it is about. */
  readonly id?: string;
  readonly [detail: string]: unknown;
}

/** Tells whoever follows what happens, as it happens. */
export interface Events {
  /** Whether anybody follows; what is costly to tell need not be put together otherwise. */
  readonly isFollowed: boolean;
  emit(type: string, about?: Readonly<Record<string, unknown>>): void;
  /** Calls `listener` at each event until the answered function is called; `ended` runs once when the events end. */
  follow(listener: (event: BackendEvent) => void, ended?: () => void): () => void;
  /** Ends every following. */
  end(): void;
}

/** Creates the events of one backend. `begin` hears of each following, and what it answers is called when that is over. */
export function createEvents(clock: Pick<Clock, "iso">, begin: () => () => void = () => () => {}): Events {
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
      const leave = begin();
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
