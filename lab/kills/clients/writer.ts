// Sends the writes of one client through the SDK and the control plane, and writes down what it learns of each.

import type { ControlClient } from "@call-transfer/backend/control-client";
import { CallTransfer, ConflictError, OutcomeUnknownError, RequestError } from "@call-transfer/sdk";
import type { Change, ChangeOf, History, Write } from "../history.ts";
import { type ClientPlan, frozenNow } from "../plan.ts";
import { controlOf, isRefusal, recordingFetch, type Target } from "./requests.ts";

/** An answer of the control plane, as its client returns it. */
interface ControlAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export class Writer {
  readonly plan: ClientPlan;
  readonly sdk: CallTransfer;
  readonly control: ControlClient;
  /** The own writes, in their order. */
  readonly writes: Write[] = [];
  /** Calls and rotations whose outcome is unknown, which the SDK can look for. */
  readonly lost = new Map<Write<ChangeOf<"call" | "rotation">>, OutcomeUnknownError>();
  readonly #history: History;

  constructor(plan: ClientPlan, target: Target, history: History) {
    const { sandbox, apiKey } = plan;
    this.plan = plan;
    this.#history = history;
    this.sdk = new CallTransfer({
      baseUrl: `${target.url}/_sandbox/${sandbox}`,
      apiKey,
      fetch: recordingFetch(history, sandbox),
      // The SDK looks for lost calls by the time of the sandbox.
      ...(sandbox === "frozen" && { clock: { now: () => Date.parse(frozenNow), setTimeout, clearTimeout } }),
    });
    this.control = controlOf(target, sandbox, history);
  }

  /** Sends a write through the SDK. `learn` gets the answer. */
  async send<Result>(change: Change, request: () => Promise<Result>, learn: (result: Result) => void): Promise<void> {
    const write = this.#begin(change);
    try {
      learn(await request());
      write.outcome = "acknowledged";
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const isNone = error.outcome === "rejected" || error.outcome === "not_sent";
      // After an attempt that got lost, a name that is taken shows that it was carried out: no other client uses the name.
      const isApplied = error.outcome === "applied" || (error.outcome === "unknown" && error instanceof ConflictError);
      write.outcome = isNone ? "none" : isApplied ? "applied" : "unknown";
      if (error.outcome === "rejected") this.#history.unexpected.push(`A ${change.kind} was refused: ${error.message}`);
      if (error instanceof OutcomeUnknownError) this.lost.set(write as Write<ChangeOf<"call" | "rotation">>, error);
    } finally {
      write.endedMs = Date.now();
    }
  }

  /** Sends a write through the control plane. `learn` gets the answer. */
  async sendControl<Answer extends ControlAnswer>(
    change: Change,
    request: () => Promise<Answer>,
    learn: (data: NonNullable<Answer["data"]>) => void = () => {},
  ): Promise<void> {
    const write = this.#begin(change);
    try {
      const { data, error, response } = await request();
      if (response.ok) learn(data as NonNullable<Answer["data"]>);
      else this.#history.unexpected.push(`A ${change.kind} was refused: ${JSON.stringify(error)}`);
      write.outcome = response.ok ? "acknowledged" : "none";
    } catch (error) {
      write.outcome = isRefusal(error) ? "none" : "unknown";
    } finally {
      write.endedMs = Date.now();
    }
  }

  #begin(change: Change): Write {
    const { sandbox, accountId } = this.plan;
    const write = { sandbox, accountId, change, beganMs: Date.now() };
    this.writes.push(write);
    this.#history.writes.push(write);
    return write;
  }
}
