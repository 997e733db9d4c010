import type { BackendEvent } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type ClockStore, createClockStore } from "./clock.ts";
import type { Source, StreamState } from "./connection/source.ts";
import { type Control, createControl } from "./control.ts";
import { type Credentials, createCredentials } from "./credentials.ts";
import { jsonOrText, messageIn, throttled } from "./format.ts";
import type { Place, Route, Router } from "./place.ts";

/** A message that is shown for a while; an error until another place is shown. */
export interface Notice {
  readonly id: number;
  readonly tone: "info" | "ok" | "bad";
  readonly text: string;
}

/** The parts that the screens of one inspector share. */
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
  readonly control: ReadonlySignal<Control>;
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
  /**
   * Calls `listener` with each batch of events of the current sandbox until the returned function is called. Besides those of
   * the backend there is `stream.began`, before the first event: data that was read before it may be old.
   */
  onEvents(listener: (events: readonly BackendEvent[]) => void): () => void;
  /** Connects to the server again after it refused to send events. */
  reconnect(): void;
  notify(tone: Notice["tone"], text: string): void;
  dismiss(id: number): void;
  /** Ends timers and streams. */
  end(): void;
}

/** A session before it has credentials. */
type Open = Omit<Session, "credentials" | "stream"> & { readonly stream: Signal<StreamState> };

/** How long a message is shown, in milliseconds: long enough to read it twice. */
const noticeMs = { info: 6000, ok: 6000, bad: 30_000 } as const;
/** How often the clock is read again at most. */
const clockReloadMs = 250;

/** Creates the session of one inspector. */
export function createSession(source: Source, router: Router, place: Place): Session {
  const ending = new AbortController();
  const stream = signal<StreamState>({ state: "connecting" });
  const token = signal<string | undefined>(undefined);
  const listeners = new Set<(events: readonly BackendEvent[]) => void>();
  const sandbox = computed(() => router.route.value.sandbox);
  const clock = createClockStore(ending.signal);
  const { leave, ...notices } = createNotices();
  const control = computed(() =>
    createControl({
      url: source.baseUrl,
      sandbox: sandbox.value,
      token: token.value,
      fetch: (request) => source.fetch(request),
    }),
  );
  const attempt = signal(0);

  const session: Open = {
    source,
    place,
    route: router.route,
    sandbox,
    stream,
    clock,
    ...notices,
    token,
    control,
    href: (screen, ...rest) => router.href({ sandbox: sandbox.value, screen, rest }),
    go: (screen, ...rest) => router.go({ sandbox: sandbox.value, screen, rest }),
    switchTo: (name) => router.go({ ...router.route.value, sandbox: name, rest: [] }),
    api(request) {
      request.headers.set("X-Sandbox", sandbox.value);
      return source.fetch(request);
    },
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reconnect() {
      attempt.value += 1;
    },
    end() {
      ending.abort();
      for (const stop of running) stop();
    },
  };

  const leaving = effect(() => {
    void router.route.value;
    leave();
  });
  const running = [leaving, ...follow(session, attempt, listeners)];
  const credentials = createCredentials(session);
  running.push(credentials.end);
  return { ...session, credentials };
}

/** Messages, each once. They go by themselves, and an error also with the place where it happened. */
function createNotices(): Pick<Session, "notices" | "notify" | "dismiss"> & { leave(): void } {
  const notices = signal<readonly Notice[]>([]);
  let ids = 0;
  const dismiss = (id: number) => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  };
  return {
    notices,
    dismiss,
    leave() {
      notices.value = notices.peek().filter(({ tone }) => tone !== "bad");
    },
    notify(tone, text) {
      ids += 1;
      const id = ids;
      const others = notices.value.filter((notice) => notice.text !== text);
      notices.value = [...others.slice(-3), { id, tone, text }];
      setTimeout(() => dismiss(id), noticeMs[tone]);
    },
  };
}

/** Follows the events of the current sandbox, and keeps the clock current. Returns what ends that. */
function follow(
  session: Open,
  attempt: ReadonlySignal<number>,
  listeners: ReadonlySet<(events: readonly BackendEvent[]) => void>,
): readonly (() => void)[] {
  const { clock, control, token } = session;
  const loadClock = throttled(clockReloadMs, async () => {
    const asked = control.peek();
    const next = await asked.clock();
    // The page may show another sandbox by now.
    if (asked === control.peek()) clock.set(next);
  });
  const emit = (events: readonly BackendEvent[]) => batch(() => listeners.forEach((listener) => void listener(events)));
  const begin = () => {
    attempt.value;
    clock.clear();
    const announce = (type: "stream.began" | "stream.gap") =>
      emit([{ eventId: "", at: new Date().toISOString(), type }]);
    const checkServer = watchServer(control.value, () => {
      session.notify("info", "The server was started again. The page shows its new state.");
      announce("stream.gap");
    });
    let before: StreamState["state"] = "connecting";
    const state = (next: StreamState) => {
      session.stream.value = next;
      const last = before;
      before = next.state;
      if (next.state !== "live") return;
      loadClock();
      // What happened between the reading of data and the beginning of the events is not among them.
      if (last === "connecting") announce("stream.began");
      // What could not be read while the server was away is read now.
      if (last === "lost") announce("stream.gap");
      checkServer();
    };
    const known = (text: string | undefined) => {
      token.value = text;
    };
    return session.source.follow(session.sandbox.value, token.value, { events: emit, state, token: known });
  };
  const stopListening = session.onEvents((events) => {
    if (events.some(changesClock)) loadClock();
  });
  return [stopListening, effect(begin)];
}

/**
 * Returns a function that runs when events arrive, for the first time or again. It calls `restarted` if another server, or
 * another sandbox of the same name, sends them: the stream in the ids of its events is another one, or it has none yet.
 */
function watchServer(control: Control, restarted: () => void): () => void {
  let known: string | undefined;
  return async () => {
    const events = await control.latestEvents(1).catch(() => undefined);
    if (events === undefined) return;
    const current = events[0]?.eventId.replace(/-\d+$/, "");
    const isOther = known !== undefined && known !== current;
    known = current;
    if (isOther) restarted();
  };
}

/** Whether the clock may have another time or other timers and expiries after an event. */
function changesClock({ type, changeCount }: BackendEvent): boolean {
  if (type === "request.completed") return changeCount !== undefined;
  return /^(?:clock|timer|sandbox|stream|record|scenario|member|availability|secret|key)\./.test(type);
}

/** The session of the inspector that a component is part of. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session. Throws an Error outside an inspector. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("A component of the inspector is outside a SessionContext.");
  return session;
}

/** Runs a task of a button, and shows its error, or `done` after success. Returns whether it succeeded. */
export async function act(
  session: Pick<Session, "notify">,
  task: () => Promise<unknown>,
  done?: string,
): Promise<boolean> {
  try {
    await task();
  } catch (error) {
    session.notify("bad", messageIn(error));
    return false;
  }
  if (done !== undefined) session.notify("ok", done);
  return true;
}

/** The address of a path of the API in the current sandbox, for programs outside the page. */
export function addressOf({ source, sandbox }: Pick<Session, "source" | "sandbox">, path: string): string {
  const prefix = sandbox.value === "default" ? "" : `/_sandbox/${encodeURIComponent(sandbox.value)}`;
  return `${source.address}${prefix}${path}`;
}

/** Sends a request of an operation to the API, as the owner of the first account. Throws an Error for a refusal. */
export async function callApi(
  session: Session,
  operationId: OperationId,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { method, path } = operations[operationId];
  const address = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const request = new Request(session.source.baseUrl + address, { method });
  const response = await session.credentials.send("owner", request);
  const body = jsonOrText(await response.text());
  if (response.ok) return;
  const { code, detail } = Object(body) as Readonly<Record<string, unknown>>;
  throw new Error([response.status, code, detail].filter((part) => part !== undefined).join(" "));
}
