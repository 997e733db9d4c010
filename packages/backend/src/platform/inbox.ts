import * as z from "zod";
import type { InboxEvent } from "../generated/models.gen.ts";
import type { BackendState } from "../model/state.ts";
import { History } from "../model/stored-parts.ts";
import { omitUndefined, retention } from "../utils/values.ts";

/** The address of the built-in inbox, for `config.url` of an `app` destination. Nothing leaves the backend. */
export const inboxUrl = "http://inbox.invalid/offers";

/** The schema of {@link InboxAnswer}. */
export const inboxAnswerSchema = z.strictObject({
  /** 204 by default. */
  status: z.int().min(200).max(599).exactOptional(),
  /** Seconds of the backend's clock before it answers; 0 by default. From `deliveryTimeoutSecs` on, the sender times out. */
  delaySecs: z.number().min(0).max(86_400).exactOptional(),
});

/** How the inbox answers. */
export type InboxAnswer = Readonly<z.output<typeof inboxAnswerSchema>>;

/** A receiver of webhooks inside the backend, for tests without a server of their own. */
export interface Inbox {
  /** How the inbox answers the next deliveries. Set it to change that. */
  answer: InboxAnswer;
  /** The latest 1000, oldest first. */
  list(): readonly InboxEvent[];
  /** Removes every event, and sets the default answer. */
  clear(): void;
}

/** An inbox that gets deliveries. */
export interface ReceivingInbox extends Inbox {
  /** Answers a delivery, or times out as a sender would. Time is the backend's clock, so that tests can run at any speed. */
  receive(init: RequestInit): Promise<Response>;
  readonly received: History<InboxEvent>;
}

/** Creates the inbox of one backend. */
export function createInbox({
  clock,
  policies,
  events,
  writer,
}: Pick<BackendState, "clock" | "policies" | "events" | "writer">): ReceivingInbox {
  const received = new History<InboxEvent>("inbox", retention.inboxEvents, writer);
  let answer: InboxAnswer = {};
  return {
    get answer() {
      return answer;
    },
    set answer(changed) {
      answer = changed;
      writer?.touch("inbox");
      events.emit("inbox.changed", { ...changed });
    },
    received,
    list: () => received.items,
    clear() {
      received.clear();
      answer = {};
      writer?.touch("inbox");
      events.emit("inbox.cleared");
    },
    async receive({ headers, body }) {
      const event = { at: clock.iso(), headers: Object.fromEntries(new Headers(headers)), body: String(body) };
      received.add(event);
      events.emit("inbox.received", () => identityOf(event.body));
      const { status = 204, delaySecs = 0 } = answer;
      const timeoutSecs = policies.deliveryTimeoutSecs;
      if (delaySecs > 0) await clock.sleep(Math.min(delaySecs, timeoutSecs) * 1000, "inbox");
      if (delaySecs >= timeoutSecs && delaySecs > 0)
        throw new DOMException(`No answer within ${timeoutSecs} s.`, "TimeoutError");
      return new Response(null, { status });
    },
  };
}

/** The ids in a body; none if it is not JSON, as after a fault that cuts it off. */
function identityOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const { id, destinationId, transferId } = JSON.parse(body);
    return omitUndefined({ id, destinationId, transferId });
  } catch {
    return {};
  }
}

/** Whether an address is the inbox's. */
export function isInbox(url: string): boolean {
  return new URL(url).hostname === new URL(inboxUrl).hostname;
}
