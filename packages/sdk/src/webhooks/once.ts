// Handles each event once and gives every copy the same answer, also across processes. What this process has in hand or has
// answered itself, it knows without the store.
import { answerOf, responseOf } from "./answer.ts";
import { CodedError, codeOf, type WebhookErrorCode } from "./codes.ts";
import { checkKey, type EventStore } from "./event-store.ts";
import { InHand } from "./in-hand.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { Later } from "./later.ts";
import { longestHandlingMs, OwnedEvent, type OwnerSettings } from "./owned-event.ts";
import { duplicate, isRefusal, unavailable } from "./refusal.ts";
import { StoreSteps } from "./store-steps.ts";

/** How to handle events once. The options of `createWebhookHandler` describe the fields. */
export interface OnceSettings extends OwnerSettings {
  readonly duplicates: "answer" | "refuse";
  readonly onStoreError: "handle" | "refuse";
  readonly waitMs: number;
  readonly clock: { now(): number };
}

type Report = (error: unknown, code: WebhookErrorCode) => void;

/** Whether this copy was handled, or got the answer of another one. */
export interface Handled {
  readonly response: Response;
  readonly isCopy: boolean;
}

/** How often an answer is offered again to a store that refuses it, but gives the event to no other owner. */
const completeTries = 5;

/** How long a lease that may be left is given back. */
const giveBackMs = 60_000;

/** The events of one handler. */
export class Once {
  readonly #settings: OnceSettings;
  readonly #report: Report;
  readonly #steps: StoreSteps;
  readonly #later = new Later();
  readonly #inHand = new Map<string, InHand>();
  readonly #answers = new KeptAnswers();
  #reportedForgotten = 0;

  constructor(settings: OnceSettings, report: Report) {
    this.#settings = settings;
    this.#report = report;
    this.#steps = new StoreSteps(settings.store, settings.storeTimeoutMs, settings.waitMs);
  }

  /** Handles an event, or waits for its answer. Rejections and 5xx are not stored, so that a later copy is handled. */
  async handle(key: string, handle: () => Promise<Response>): Promise<Handled> {
    const { duplicates, waitMs, clock } = this.#settings;
    const from = performance.now();
    const leftMs = () => Math.max(0, waitMs - (performance.now() - from));
    for (;;) {
      let answer = this.#answers.get(key, clock.now());
      const current = this.#inHand.get(key);
      if (answer === undefined && !current) return this.#takeInHand(key, handle, leftMs);
      if (duplicates === "refuse") throw duplicate();
      if (answer === undefined && current) {
        if (await current.isAbandoned()) {
          this.#letGo(key, current);
          continue;
        }
        const end = await current.wait(leftMs());
        if (end === undefined) throw unavailable("busy");
        if (end.refusal) throw end.refusal;
        answer = end.answer;
      }
      if (answer !== undefined) return { response: responseOf(answer), isCopy: true };
    }
  }

  /** Takes and gives back an event of its own. Rejects if the store fails, or will not keep answers. */
  async check(scope: string): Promise<void> {
    const { store }: { readonly store: EventStore & { [checkKey]?(): Promise<string | undefined> } } = this.#settings;
    const event = new OwnedEvent(`${scope}:check:${crypto.randomUUID()}`, this.#settings, this.#steps);
    try {
      await event.claim(true);
    } finally {
      await event.release();
    }
    const problem = await this.#steps.run(async () => store[checkKey]?.(), false);
    if (problem) throw new CodedError(problem, "store_forgets");
  }

  async #takeInHand(key: string, handle: () => Promise<Response>, leftMs: () => number): Promise<Handled> {
    const current = new InHand(this.#settings.waitMs + longestHandlingMs);
    this.#inHand.set(key, current);
    const event = new OwnedEvent(key, this.#settings, this.#steps);
    try {
      const stored = await this.#storedAnswer(event, leftMs);
      if (stored) {
        this.#remember(key, stored.answer);
        current.share({ answer: stored.answer });
        return { response: stored.response, isCopy: true };
      }
      return await this.#handleAndStore(event, handle, current);
    } catch (error) {
      // Those that wait would only find out the same. A copy that has waited for too long says nothing about others.
      if (isRefusal(error) && error.code !== "busy") current.share({ refusal: error });
      throw error;
    } finally {
      current.share({});
      this.#letGo(key, current);
    }
  }

  #letGo(key: string, current: InHand): void {
    if (this.#inHand.get(key) === current) this.#inHand.delete(key);
  }

  #remember(key: string, answer: string): void {
    const time = this.#settings.clock.now();
    this.#answers.set(key, answer, time + this.#settings.keepMs);
    this.#answers.forgetOld(time);
  }

  /** The answer to an event that is handled already; undefined if this copy must be handled. */
  async #storedAnswer(event: OwnedEvent, leftMs: () => number) {
    const { duplicates, onStoreError } = this.#settings;
    try {
      const first = await event.claim();
      this.#later.wake();
      if (first.state === "mine") return undefined;
      if (duplicates === "refuse") throw duplicate();
      const claim = first.state === "busy" ? await event.claimWhenFree(leftMs()) : first;
      return claim.state === "done" ? { answer: claim.answer, response: responseOf(claim.answer) } : undefined;
    } catch (error) {
      if (isRefusal(error)) throw error;
      const code = codeOf(error, "store_failed");
      if (code !== "busy" && onStoreError === "handle") {
        this.#report(error, code);
        return undefined;
      }
      this.#giveBack(event);
      throw unavailable(code, code === "busy" ? (error as CodedError).cause : error);
    }
  }

  /** Releases a lease that the store may have given, or may give later. */
  #giveBack(event: OwnedEvent): void {
    if (!event.mayHoldLease) return;
    const attempt = () => event.release().then(() => true);
    const untilMs = performance.now() + giveBackMs;
    // A lease runs out by itself, too.
    attempt().catch(() => this.#later.add({ untilMs, attempt, giveUp() {} }));
  }

  async #handleAndStore(event: OwnedEvent, handle: () => Promise<Response>, current: InHand): Promise<Handled> {
    const lease = event.keepLease();
    const release = async (): Promise<void> => {
      await lease.end();
      await event.release().catch((error: unknown) => {
        this.#report(error, codeOf(error, "store_failed"));
        this.#giveBack(event);
      });
    };
    let response: Response;
    let answer: string | undefined;
    try {
      response = await handle();
      if (response.status < 500) answer = await answerOf(response, event.owner);
    } finally {
      if (answer === undefined) await release();
    }
    if (answer === undefined) return { response, isCopy: false };
    try {
      const other = await this.#storeOrFind(event, answer);
      if (other !== undefined) response = responseOf(other);
      this.#remember(event.key, other ?? answer);
      current.share({ answer: other ?? answer });
      return { response, isCopy: false };
    } catch (error) {
      if (isRefusal(error)) throw error;
      // It was handled, so its own answer is true.
      this.#report(error, codeOf(error, "store_failed"));
      this.#remember(event.key, answer);
      this.#storeLater(event, answer);
      current.share({ answer });
      return { response, isCopy: false };
    } finally {
      void lease.end();
    }
  }

  /** Stores the answer. Returns another one if another owner completed the event before. */
  async #storeOrFind(event: OwnedEvent, answer: string): Promise<string | undefined> {
    for (let triesLeft = completeTries; !(await event.complete(answer)); triesLeft -= 1) {
      if (triesLeft === 0) throw new TypeError("complete() of the event store must return true.");
      const claim = await event.claimWhenFree(this.#settings.waitMs).catch((error: unknown) => {
        throw unavailable("busy", (error as CodedError).cause);
      });
      // Otherwise the other owner failed, so this answer counts.
      if (claim.state === "done") return this.#otherAnswer(event, answer, claim.answer);
    }
    this.#checkMemory();
    return undefined;
  }

  /** The stored answer, if it is another one. */
  #otherAnswer({ key }: OwnedEvent, answer: string, stored: string): string | undefined {
    // A step that failed may have stored it.
    if (stored === answer) return undefined;
    const reason = "its lease ran out before it was extended, or the event store failed";
    const message = `The event ${key} was handled twice: ${reason}. The answer stored first was sent.`;
    this.#report(new CodedError(message, "handled_twice"), "handled_twice");
    return stored;
  }

  /** Tries to store an answer that was sent, until it holds or the time to keep it is over. */
  #storeLater(event: OwnedEvent, answer: string): void {
    this.#later.add({
      untilMs: performance.now() + this.#settings.keepMs,
      attempt: async () => {
        if (await event.completeOnce(answer)) return true;
        const claim = await event.claim(true);
        // The copies here keep the answer that was sent.
        if (claim.state === "done") this.#otherAnswer(event, answer, claim.answer);
        return claim.state === "done";
      },
      giveUp: () => {
        const message = `The answer to the event ${event.key} was never stored. Check the event store.`;
        this.#report(new CodedError(message, "answer_not_stored"), "answer_not_stored");
      },
    });
  }

  /** Says when the store forgets: at the first answer, and each time there are ten times as many. */
  #checkMemory(): void {
    const { forgottenEarly = 0 } = this.#settings.store;
    if (forgottenEarly < Math.max(1, this.#reportedForgotten * 10)) return;
    this.#reportedForgotten = forgottenEarly;
    const message =
      `The event store forgot answers before keepMs was over (${forgottenEarly} so far). Copies may be handled again. ` +
      "Raise its maxEvents or use a shared store.";
    this.#report(new CodedError(message, "store_forgets"), "store_forgets");
  }
}
