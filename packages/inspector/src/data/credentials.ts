import type { BackendEvent } from "@call-transfer/backend";
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { ClockStore } from "./clock.ts";
import type { Control, StateRecord } from "./control.ts";
import { timeOfDay } from "./format.ts";

/** A caller of the API, and what it is called. The roles are those of the first account's members. */
export const callers = [
  ["owner", "Owner"],
  ["admin", "Admin"],
  ["member", "Member"],
  ["agent", "Agent"],
  ["key", "API key"],
  ["none", "No credential"],
  ["expiredToken", "Expired token"],
  ["revokedKey", "Revoked API key"],
] as const;

/** The id of a caller. */
export type Caller = (typeof callers)[number][0];

/** The credentials that the page uses. They are kept in memory, and issued when they are needed. */
export interface Credentials {
  /** The headers of a caller. Throws an Error with the control plane's message if it issues no credential. */
  headers(caller: Caller): Promise<Readonly<Record<string, string>>>;
  /** Sends a request to the API as a caller. A token that the API calls expired is issued again once. */
  send(caller: Caller, request: Request): Promise<Response>;
  /** When the tokens of the current sandbox end, in milliseconds since the epoch. */
  readonly ends: ReadonlySignal<readonly TokenEnd[]>;
  /** Forgets all credentials of the current sandbox, which then issues others. */
  forget(): void;
}

/** The end of a token of the page. */
export interface TokenEnd {
  readonly caller: Caller;
  /** On the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link createCredentials} needs of a session. */
export interface CredentialParts {
  readonly sandbox: ReadonlySignal<string>;
  readonly control: ReadonlySignal<Control>;
  readonly clock: ClockStore;
  api(request: Request): Promise<Response>;
  onEvents(listener: (events: readonly BackendEvent[]) => void): () => void;
  notify(tone: "info", text: string): void;
}

interface Held {
  readonly headers: Readonly<Record<string, string>>;
  /** When a token ends, on the sandbox's clock in milliseconds. A credential that is meant to be refused has no end. */
  readonly expiresAt?: number;
}

/** Creates the credentials of a session, and the function that ends their upkeep. */
export function createCredentials(parts: CredentialParts): Credentials & { end(): void } {
  const { sandbox } = parts;
  const { expiries, keyOf, hold, drop, dropExpired, forget } = createHeld(parts);
  const running = [
    effect(dropExpired),
    parts.onEvents((events) => {
      if (events.some(({ type }) => /^(?:sandbox[.](?:reset|restored)|stream[.]gap)$/.test(type))) forget();
    }),
  ];
  const headers = async (caller: Caller) => {
    dropExpired();
    return (await hold(caller)).headers;
  };
  const sendOnce = async (caller: Caller, request: Request) => {
    for (const [name, value] of Object.entries(await headers(caller))) request.headers.set(name, value);
    return parts.api(request);
  };
  return {
    headers,
    ends: computed(() =>
      [...expiries.value].filter(([key]) => key.startsWith(`${sandbox.value} `)).map(([, end]) => end),
    ),
    forget,
    async send(caller, request) {
      const again = request.clone();
      const response = await sendOnce(caller, request);
      if (response.status !== 401 || !expiries.peek().has(keyOf(caller))) return response;
      const copy = response.clone();
      const { code } = Object(await copy.json().catch(() => undefined)) as { readonly code?: unknown };
      if (code !== "token_expired") return response;
      drop(keyOf(caller));
      parts.notify("info", `The token of this page for the role ${caller} had expired. The page got a new one.`);
      return sendOnce(caller, again);
    },
    end: () => running.forEach((stop) => void stop()),
  };
}

/** The credentials of each sandbox and caller, until they are dropped. */
function createHeld({ sandbox, control, clock, notify }: CredentialParts) {
  const held = new Map<string, Promise<Held>>();
  const expiries = signal<ReadonlyMap<string, TokenEnd>>(new Map());
  const isOfSandbox = (key: string) => key.startsWith(`${sandbox.peek()} `);
  const keyOf = (caller: Caller) => `${sandbox.peek()} ${caller}`;
  const drop = (key: string) => {
    held.delete(key);
    expiries.value = new Map([...expiries.peek()].filter(([name]) => name !== key));
  };
  const hold = async (caller: Caller): Promise<Held> => {
    const key = keyOf(caller);
    const known = held.get(key);
    if (known !== undefined) return known;
    const issuing = issue(control.peek(), caller);
    held.set(key, issuing);
    try {
      const { expiresAt } = await issuing;
      if (expiresAt !== undefined) expiries.value = new Map(expiries.peek()).set(key, { caller, at: expiresAt });
    } catch (error) {
      drop(key);
      throw error;
    }
    return issuing;
  };
  /** Drops the tokens that the clock has passed, and says so. */
  const dropExpired = () => {
    const now = clock.now.value;
    if (clock.clock.value === undefined) return;
    const ended = [...expiries.peek()].filter(([key, { at }]) => isOfSandbox(key) && at <= now);
    for (const [key] of ended) drop(key);
    const [first] = ended;
    if (first === undefined) return;
    const names = ended.map(([, { caller }]) => caller).join(", ");
    notify(
      "info",
      ended.length === 1
        ? `The token of this page for the role ${names} expired at ${timeOfDay(first[1].at)}, on the sandbox's clock. The next request gets a new one.`
        : `The tokens of this page for the roles ${names} expired on the sandbox's clock. The next request gets new ones.`,
    );
  };
  const forget = () => {
    for (const key of [...held.keys()]) if (isOfSandbox(key)) drop(key);
  };
  return { expiries, keyOf, hold, drop, dropExpired, forget };
}

/** The body that issues each caller's token. */
const tokens = {
  owner: { role: "owner" },
  admin: { role: "admin" },
  member: { role: "member" },
  agent: { role: "agent" },
  expiredToken: { role: "owner", expired: true },
} as const;

async function issue(control: Control, caller: Caller): Promise<Held> {
  if (caller === "none") return { headers: {} };
  if (caller === "key")
    return { headers: bearer((await existingKey(control)) ?? (await control.createApiKey("valid"))) };
  if (caller === "revokedKey") return { headers: bearer(await control.createApiKey("revoked")) };
  const issued = await control.createAccessToken(tokens[caller]);
  return {
    headers: {
      ...bearer(issued.accessToken),
      ...(issued.accountId !== undefined && { "X-Account-Id": issued.accountId }),
    },
    ...(caller !== "expiredToken" && { expiresAt: Date.parse(issued.expiresAt) }),
  };
}

/** A key of the seed that anyone may use, so that a request adds no record. */
async function existingKey(control: Control): Promise<string | undefined> {
  const usable = (record: StateRecord) =>
    (record.state ?? "valid") === "valid" && record.allowedIps === undefined && record.expiresAt === undefined;
  const found = (await control.records("apiKeys")).find(usable);
  // The list has no secrets.
  const key = found === undefined ? undefined : (await control.record("apiKeys", String(found.id)))?.key;
  return typeof key === "string" ? key : undefined;
}

const bearer = (credential: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${credential}` });
