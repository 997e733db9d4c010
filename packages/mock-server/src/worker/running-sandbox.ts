import { type Backend, createBackend } from "@call-transfer/backend";
import { type SandboxState, sandboxState } from "@call-transfer/backend/unstable";
import { AlarmClock } from "./alarm-clock.ts";
import { withTransport } from "./orders.ts";
import type { ObjectStorage } from "./platform.ts";
import type { Settings } from "./settings.ts";
import { type Facts, SqlStore, writeFacts } from "./sql-store.ts";

/** The sandbox that always exists. */
export const defaultSandbox = "default";

/** How exactly the last use is stored. */
const usedAtStepMs = 3_600_000;

export class RunningSandbox {
  readonly name: string;
  readonly #clock: AlarmClock;
  readonly #backend: Backend;
  readonly #storage: ObjectStorage;
  readonly #expiryMs: number | undefined;
  #usedAt: number;

  /** Loads a sandbox, or creates it. Throws InputError that names a wrong option. */
  constructor(storage: ObjectStorage, settings: Settings, { name, options, usedAt }: Facts) {
    this.name = name;
    this.#storage = storage;
    this.#usedAt = usedAt;
    this.#expiryMs = name === defaultSandbox ? undefined : settings.expiryMs;
    this.#clock = new AlarmClock(storage, () => this.#expiresAt());
    try {
      this.#backend = createBackend({
        clockMode: "running",
        ...settings.options,
        ...options,
        policies: { ...settings.options.policies, ...options.policies },
        controlPlane: true,
        store: new SqlStore(storage, "sandbox"),
        wall: this.#clock,
        fetch: (input, init) => this.#deliver(input, init),
      });
    } catch (error) {
      this.#clock.stop();
      throw error;
    }
  }

  /** Begins to set timers and alarms. */
  start(): void {
    this.#clock.start();
  }

  /** Responds to a request of a client. `headers` are those of the client. */
  async respond(request: Request, headers: Headers): Promise<Response> {
    this.#use();
    const { method, url, signal } = request;
    const bytes = request.body === null ? {} : { bodyBytes: new Uint8Array(await request.arrayBuffer()) };
    const address = headers.get("cf-connecting-ip");
    const handled = await this.#backend.handle(
      { method, url, headers, body: null, signal, ...bytes },
      address === null ? {} : { address },
    );
    const { response, transport } = handled;
    if (transport !== undefined) return withTransport(response, transport);
    if (response.body === null || response.headers.get("content-type") !== "text/event-stream") return response;
    return new Response(withComments(response.body, signal, this.#clock.openStream()), response);
  }

  describe(): SandboxState {
    return sandboxState(this.#backend);
  }

  /** Does what is due. Returns whether the sandbox has expired. */
  async ring(): Promise<boolean> {
    this.#clock.ring();
    await this.#backend.clock.runDue();
    // A commit that failed has taken the sandbox back to what is stored, and tries again later.
    await this.#backend.flush().catch(() => {});
    if (this.#clock.hasOpenStreams) this.#use();
    const expiresAt = this.#expiresAt();
    return expiresAt !== undefined && expiresAt <= this.#clock.now();
  }

  /** Ends all event streams and forgets what it would do later. */
  close(): void {
    this.#backend.close();
    this.#clock.stop();
  }

  #use(): void {
    const now = this.#clock.now();
    const stepMs = Math.min(usedAtStepMs, (this.#expiryMs ?? usedAtStepMs) / 10);
    this.#clock.wakeSoon();
    if (now - this.#usedAt < stepMs) return;
    this.#usedAt = now;
    writeFacts(this.#storage, { usedAt: now });
  }

  #expiresAt(): number | undefined {
    return this.#expiryMs === undefined ? undefined : this.#usedAt + this.#expiryMs;
  }

  /** Sends a webhook. The object wakes after a crash until the delivery is stored, which follows the end of the answer's body. */
  async #deliver(input: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
    const end = this.#clock.beginWork();
    // In a later turn of the event loop, in which the backend has recorded the delivery.
    const store = (): void => void setTimeout(() => this.#backend.flush().then(end, end));
    try {
      const response = await fetch(input, init);
      if (response.body !== null) return new Response(untilClosed(response.body, store), response);
      store();
      return response;
    } catch (error) {
      store();
      throw error;
    }
  }
}

/** How often a silent event stream sends a comment, in milliseconds. */
const commentMs = 10_000;

/** The same event stream with comments, until its end or until the client leaves. Then calls `closed`. */
function withComments(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  closed: () => void,
): ReadableStream<Uint8Array> {
  const comment = new TextEncoder().encode(":\n\n");
  let timer: ReturnType<typeof setInterval>;
  const end = (): void => {
    clearInterval(timer);
    closed();
  };
  return untilClosed(body, end, (controller, leave) => {
    signal.addEventListener("abort", leave, { once: true });
    // The runtime notices that the client has left when it sends something.
    timer = setInterval(() => controller.enqueue(comment), commentMs);
  });
}

/** The same stream. Calls `closed` when it has ended or failed, or its reader leaves. `start` may add to it and end it. */
function untilClosed(
  body: ReadableStream<Uint8Array>,
  closed: () => void,
  start: (controller: ReadableStreamDefaultController<Uint8Array>, end: () => void) => void = () => {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const end = (): void => {
    closed();
    reader.cancel().catch(() => {});
  };
  return new ReadableStream({
    start: (controller) => start(controller, end),
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel: end,
  });
}
