import type { BackendEvent } from "@call-transfer/backend";
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type ControlClient, createControlClient, dataAs } from "../../control/client.ts";
import { type ClockStore, createClockStore } from "./clock.ts";
import { type Credentials, createCredentials } from "./credentials.ts";
import type { Place } from "./place.ts";
import type { Route, Router } from "./route.ts";
import type { Source, StreamState } from "./source.ts";
import { throttled } from "./throttled.ts";

/** A message that is shown for a while. */
export interface Notice {
  readonly id: number;
  readonly tone: "info" | "ok" | "bad";
  readonly text: string;
}

/** Everything that the screens of one inspector share. */
export interface Session {
  readonly source: Source;
  readonly place: Place;
  readonly route: ReadonlySignal<Route>;
  readonly sandbox: ReadonlySignal<string>;
  readonly stream: ReadonlySignal<StreamState>;
  readonly clock: ClockStore;
  readonly notices: ReadonlySignal<readonly Notice[]>;
  /** The control token. It is kept in memory only. */
  readonly token: Signal<string | undefined>;
  /** The control plane of the current sandbox. */
  readonly control: ReadonlySignal<ControlClient>;
  /** The address of a screen of this sandbox, for links. */
  href(screen: string, ...rest: readonly string[]): string;
  /** Shows a screen of this sandbox. */
  go(screen: string, ...rest: readonly string[]): void;
  /** Shows the same screen of another sandbox. */
  switchTo(sandbox: string): void;
  /** The credentials for requests to the API. */
  readonly credentials: Credentials;
  /** Sends a request to the API in the current sandbox. */
  api(request: Request): Promise<Response>;
  /** Sends a request to the control plane in the current sandbox, where {@link control} has no operation for it. */
  controlFetch(request: Request): Promise<Response>;
  /** Calls `listener` with each batch of events of the current sandbox until the returned function is called. */
  onEvents(listener: (events: readonly BackendEvent[]) => void): () => void;
  notify(tone: Notice["tone"], text: string): void;
  dismiss(id: number): void;
  /** Ends timers and streams. */
  end(): void;
}

const noticeMs = 6000;
/** How often the clock is read again at most. */
const clockReloadMs = 250;

/** Creates the session of one inspector. */
export function createSession(source: Source, router: Router, place: Place): Session {
  const ending = new AbortController();
  const stream = signal<StreamState>({ state: "connecting" });
  const token = signal<string | undefined>(undefined);
  const notices = signal<readonly Notice[]>([]);
  const listeners = new Set<(events: readonly BackendEvent[]) => void>();
  const sandbox = computed(() => router.route.value.sandbox);
  const clock = createClockStore(ending.signal);
  const control = computed(() =>
    createControlClient({
      url: source.baseUrl,
      sandbox: sandbox.value,
      token: token.value,
      fetch: (request) => source.fetch(request),
    }),
  );
  let noticeIds = 0;

  const session: Omit<Session, "credentials"> = {
    source,
    place,
    route: router.route,
    sandbox,
    stream,
    clock,
    notices,
    token,
    control,
    href: (screen, ...rest) => router.href({ sandbox: sandbox.value, screen, rest }),
    go: (screen, ...rest) => router.go({ sandbox: sandbox.value, screen, rest }),
    switchTo: (name) => router.go({ ...router.route.value, sandbox: name, rest: [] }),
    api(request) {
      request.headers.set("X-Sandbox", sandbox.value);
      return source.fetch(request);
    },
    controlFetch(request) {
      request.headers.set("X-Sandbox", sandbox.value);
      if (token.value !== undefined) request.headers.set("Authorization", `Bearer ${token.value}`);
      return source.fetch(request);
    },
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(tone, text) {
      noticeIds += 1;
      const id = noticeIds;
      notices.value = [...notices.value.slice(-3), { id, tone, text }];
      // An error stays until it is closed.
      if (tone !== "bad") setTimeout(() => session.dismiss(id), noticeMs);
    },
    dismiss(id) {
      notices.value = notices.value.filter((notice) => notice.id !== id);
    },
    end() {
      ending.abort();
      for (const stop of running) stop();
    },
  };

  const loadClock = throttled(clockReloadMs, async () => {
    const result = await control.value.GET("/_control/v1/clock");
    if (result.data !== undefined) clock.set(dataAs<"Clock">(result));
  });
  const running = [
    session.onEvents((events) => {
      if (events.some(({ type }) => changesClock(type))) loadClock();
    }),
    effect(() => {
      clock.clear();
      const following = source.follow(sandbox.value, token.value, {
        events: (events) => batch(() => listeners.forEach((listener) => void listener(events))),
        state: (state) => {
          stream.value = state;
          if (state.state === "live") loadClock();
        },
      });
      return following;
    }),
  ];
  const credentials = createCredentials(session);
  running.push(credentials.end);
  return { ...session, credentials };
}

function changesClock(type: string): boolean {
  return /^(?:clock|timer|sandbox|stream|availability|secret)\./.test(type);
}
