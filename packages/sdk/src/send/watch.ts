// Watches what Node's fetch does with a request: undici tells it by node:diagnostics_channel, before the first byte is written.
import type { SharedClientOptions } from "../options/options.ts";
import { isObject, orElse } from "../utils/guards.ts";

/** A request of undici. */
interface Created {
  readonly origin?: unknown;
  readonly method?: unknown;
  readonly path?: unknown;
  /** Null until a connection takes the request. */
  readonly abort?: unknown;
}

/** What undici tells of a request. */
interface Told {
  readonly request: Created;
  readonly error?: unknown;
  readonly response?: { readonly statusCode: number };
  /** The connection that it is written to, or that was opened. */
  readonly socket?: Socket;
  readonly connectParams?: { readonly protocol: string; readonly host: string };
}

interface Socket {
  readonly destroyed: boolean;
}

/** What is known of a request that was created during a call of fetch. */
interface Fact {
  readonly request: Created;
  /** The calls that can have created it. */
  readonly owners: readonly Watch[];
  /** Whether it was written; false again once it was refused without effect. */
  isWritten?: boolean;
  isAnswered?: boolean;
  error?: unknown;
}

/** One call of fetch. */
export interface Watch {
  readonly method: string;
  readonly url: string;
  readonly send: NonNullable<SharedClientOptions["fetch"]>;
  /** What it created, until it is no longer watched. */
  readonly created: Fact[];
}

/** More requests of one call prove nothing. */
const maxFacts = 100;

const open = new Set<Watch>();
const facts = new WeakMap<Created, Fact>();
/** The call that runs just now. */
let current: Watch | undefined;
let isTold: boolean | undefined;
/** The open connections, with the origins of themselves and of what was written to them. */
const connections = new Map<Socket, Set<string>>();
const originOf = ({ url }: Pick<Watch, "url">): string => url.slice(0, url.indexOf("/", "https://".length));

/**
 * Whether a connection to an origin is open. Drops those that have closed: listeners would add up with the copies of this module,
 * and Node warns of more than ten.
 */
function hasConnection(origin: string): boolean {
  for (const socket of connections.keys()) if (socket.destroyed) connections.delete(socket);
  return [...connections.values()].some((origins) => origins.has(origin));
}

function keep(socket: Socket | undefined, ...origins: readonly string[]): void {
  if (!socket) return;
  hasConnection("");
  const known = connections.get(socket) ?? new Set();
  connections.set(socket, known);
  for (const origin of origins) known.add(origin);
}

/** Runs a task in the next turn of the event loop. */
type NextTurn = (task: () => void) => unknown;

/** Taken when the module loads: a test may replace it later, or have put one of Sinon's fakes in its place already. */
const { setImmediate: given } = globalThis as {
  readonly setImmediate?: NextTurn & { readonly clock?: { readonly _setImmediate?: NextTurn } };
};
const nextTurn = given?.clock?._setImmediate ?? given;

/** Takes what undici tells, by channel. */
const channels: Readonly<Record<string, (told: Told, fact: Partial<Fact>) => void>> = {
  create({ request }) {
    const { method, path } = request;
    // What is created late may belong to each call of this method and path. Node's own fetch creates it once another has ended.
    const mayOwn = (watch: Watch) =>
      watch.method === method &&
      watch.url.endsWith(`${path}`) &&
      (watch.created.every((fact) => fact.isAnswered || "error" in fact) || !isOwn(watch));
    const owners = current ? [current] : [...open].filter(mayOwn);
    const fact = { request, owners };
    facts.set(request, fact);
    // A CONNECT, to a proxy, holds nothing of the request.
    if (method !== "CONNECT") for (const { created } of owners) if (created.length <= maxFacts) created.push(fact);
  },
  sendHeaders({ request, socket }, fact) {
    fact.isWritten = true;
    // A fetch of the caller may ask elsewhere than its client does, as through a gateway.
    keep(socket, `${request.origin}`, ...(fact.owners ?? []).map(originOf));
  },
  // Also one that is never written to: its request was aborted meanwhile.
  connected({ connectParams, socket }) {
    keep(socket, `${connectParams?.protocol}//${connectParams?.host}`);
  },
  headers({ response }, fact) {
    fact.isAnswered = true;
    const status = response?.statusCode ?? 0;
    if (status >= 300 && status < 500 && status !== 408) fact.isWritten = false;
  },
  error({ error }, fact) {
    fact.error = error;
  },
};

interface NodeProcess {
  readonly versions: { readonly undici?: string };
  getBuiltinModule(name: string): { subscribe(name: string, listener: (told: unknown) => void): void };
}

const nodeProcess = () => (globalThis as { process?: NodeProcess }).process as NodeProcess;

/** Listens to undici. Other runtimes do not have it, and some test environments replace `process`. */
function listen(): boolean {
  if (!nodeProcess().versions.undici) return false;
  const { subscribe } = nodeProcess().getBuiltinModule("node:diagnostics_channel");
  for (const name in channels)
    subscribe(`undici:${/sendH|conn/.test(name) ? "client" : "request"}:${name}`, (told) =>
      channels[name]?.(told as Told, facts.get((told as Told).request) ?? {}),
    );
  return true;
}

/**
 * Two turns of the event loop before Node's fetch, which takes what arrived on an idle connection meanwhile for the answer to the
 * next request. From Node 22 on it waits for one turn itself, which may end before sockets are read. Another fetch that has no
 * connection open, such as a mock under a test's clock, does not wait.
 */
export const readIdle = (watch: Pick<Watch, "send" | "url">): Promise<unknown> | undefined =>
  nextTurn && (isOwn(watch) || hasConnection(originOf(watch)))
    ? new Promise((resolve) => nextTurn(() => nextTurn(() => resolve(undefined))))
    : undefined;

/** Milliseconds after which undici gives up, whatever the client's timeout. */
const undiciTimeoutMs = 300_000;

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Leaves the time to the client where Node's own fetch would give up before, unless the caller has chosen a dispatcher. */
export function waitAsLong(watch: Watch, init: RequestInit & { dispatcher?: Dispatcher }, timeoutMs: number): void {
  if (timeoutMs < undiciTimeoutMs || init.dispatcher || !isOwn(watch)) return;
  init.dispatcher = {
    dispatch(options, handler) {
      const version = Number.parseInt(nodeProcess().versions.undici ?? "", 10) < 8 ? 1 : 2;
      const key = Symbol.for(`undici.globalDispatcher.${version}`);
      const { [key]: usual } = globalThis as unknown as Record<symbol, Dispatcher>;
      return (usual as Dispatcher).dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
    },
  };
}

/** Calls fetch. What that creates is watched until `unwatch()`. */
export function callWatched(watch: Watch, init: RequestInit): Promise<Response> {
  // Browsers and Workers refuse a fetch that is called as a method.
  const { send, url } = watch;
  isTold ??= orElse(listen, false);
  const before = current;
  if (isTold) {
    open.add(watch);
    current = watch;
  }
  try {
    return send(url, init);
  } finally {
    current = before;
  }
}

/**
 * Ends with an attempt, for the caller's own fetch: what that would send later, such as a second try beside a slow first one,
 * would follow the report of the outcome.
 */
export function endOf(watch: Watch, stop: AbortSignal): AbortController | undefined {
  if (isOwn(watch)) return undefined;
  const end = new AbortController();
  const follow = () => end.abort(stop.reason);
  stop.addEventListener("abort", follow);
  if (stop.aborted) follow();
  return end;
}

export const unwatch = (watch: Watch): boolean => open.delete(watch);

/** Node's own fetch. Another one may call that several times or later, or keep the signal to itself. */
const isOwn = ({ send }: Pick<Watch, "send">): boolean => `${send}`.includes("internal/deps/undici");

const isSure = ({ owners }: Fact): boolean => !owners[1];

/**
 * Whether something was written that the response does not answer: the caller's own fetch tries again. What failed may be of
 * another call of the same path, and counts all the same. Of the rest, a call that sends nothing at once cannot tell its own: each
 * other call of this kind explains one.
 */
export function isUnanswered({ created }: Watch, status = 0): boolean {
  const written = created.filter((fact) => fact.isWritten);
  const shared = created.some(isSure) ? [] : written.filter((fact) => !isSure(fact) && !("error" in fact));
  const waiting = new Set(shared.flatMap(({ owners }) => owners).filter((other) => !other.created.some(isSure)));
  return written.length - Math.min(shared.length, Math.max(waiting.size, 1) - 1) > (status < 500 ? 0 : 1);
}

/** Whether fetch refused the request before it created one: a port, a value, or a dispatcher with other methods. */
export function isRefused(watch: Watch, error: unknown): boolean {
  if (!isTold || watch.created[0] || !isOwn(watch)) return false;
  const { cause } = Object(error) as { cause?: { code?: unknown; message?: unknown } };
  return !cause || cause.code === "UND_ERR_INVALID_ARG" || cause.message === "bad port";
}

/** Whether nothing was written. Undefined if only the error can tell. */
export function isUnsent(watch: Watch, error: unknown, { aborted, reason }: AbortSignal): boolean | undefined {
  const { created } = watch;
  if (!created[0]) return undefined;
  const mayBeWritten = created.some(({ isWritten, request }) => isWritten !== undefined || request.abort !== null);
  if (mayBeWritten || created.length > maxFacts) return false;
  if (aborted && error === reason && isOwn(watch)) return true;
  if (created.some((fact) => !("error" in fact))) return false;
  const isOfOne = (thrown: unknown, depth = 5): boolean =>
    isObject(thrown) &&
    (created.some((fact) => fact.error === thrown) || (depth > 0 && isOfOne(thrown.cause, depth - 1)));
  // A getter may throw.
  return orElse(() => isOfOne(error), false) || undefined;
}
