// A store that writes down each step, and which event and request it is for.
import { AsyncLocalStorage } from "node:async_hooks";
import type { EventStore } from "@call-transfer/sdk/webhooks";
import type { Entry } from "./entries.ts";

/** The request that a process is answering. */
export interface RequestContext {
  readonly event: string;
  /** The owner of its last step in the store. */
  owner: string | undefined;
  /** Whether `onEvent` was called for it. */
  handled: boolean;
  /** Whether the store failed, or was too late. */
  storeFailed: boolean;
}

export const context = new AsyncLocalStorage<RequestContext>();

const eventOf = (key: string): string => key.slice(key.lastIndexOf(":") + 1);

/** Records the steps of a store. */
export function recordStore(store: EventStore, write: (entry: Entry) => void, timeoutMs: number): EventStore {
  const record = async <Result>(
    action: "claim" | "complete" | "release",
    key: string,
    owner: string,
    step: () => Promise<Result>,
    resultOf: (result: Result) => string,
  ): Promise<Result> => {
    const event = eventOf(key);
    const running = context.getStore();
    const current = running?.event === event ? running : undefined;
    if (current) current.owner = owner;
    const fromMs = Date.now();
    const note = (result: string) => {
      const atMs = Date.now();
      if (current && (result === "error" || atMs - fromMs >= timeoutMs)) current.storeFailed = true;
      write({ action, event, owner, fromMs, atMs, result });
    };
    try {
      const result = await step();
      note(resultOf(result));
      return result;
    } catch (error) {
      note("error");
      throw error;
    }
  };
  return {
    claim: (key, owner, leaseMs) =>
      record(
        "claim",
        key,
        owner,
        () => store.claim(key, owner, leaseMs),
        ({ state }) => state,
      ),
    complete: (key, owner, response) =>
      record(
        "complete",
        key,
        owner,
        () => store.complete(key, owner, response),
        (stored) => (stored ? "stored" : "refused"),
      ),
    release: (key, owner) =>
      record(
        "release",
        key,
        owner,
        () => store.release(key, owner),
        () => "released",
      ),
  };
}
