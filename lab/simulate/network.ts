// The network between clients and backend. It loses, delays, duplicates and replaces messages, and records everything.
import { type Answer, codeOf, failureOf, madeAnswer, openBody, wholeAnswer } from "./answers.ts";
import type { Caller } from "./caller.ts";
import { type Fault, type FaultName, faultNames, faults } from "./faults.ts";
import { jumps } from "./plan.ts";
import type { AttemptRecord, ClientRecord, World } from "./records.ts";
import type { Random, Timer } from "./scheduler.ts";

/** Executes a request in the backend and records it. */
type Execute = (attempt: AttemptRecord, init: RequestInit, copy: boolean) => Promise<Answer>;

/** A faulty network. */
export type Network = ReturnType<typeof createNetwork>;

/** A request in flight. */
interface Exchange {
  readonly attempt: AttemptRecord;
  readonly init: RequestInit;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
  /** Timers that end with the exchange. */
  readonly timers: Timer[];
  /** Timers that fire even if the client cancels. */
  readonly arrivals: Timer[];
  breakBody: ((error: unknown) => void) | undefined;
}

/** Milliseconds that a restart takes. */
const downMs = 1_500;

/** Creates the network of one world. */
export function createNetwork(world: World, random: Random, execute: Execute, { begin, pass }: Caller) {
  const { scheduler, plan, log } = world;
  const open = new Set<Exchange>();
  const unread: (() => boolean)[] = [];
  let downUntil = 0;
  let healed = false;

  const drawFault = (call: AttemptRecord["call"]): FaultName => {
    if (healed) return "none";
    const forced = call?.attempts.length === 0 ? call.plan.fault : undefined;
    if (forced) return forced;
    if (plan.outage && random.chance(0.98)) return random.pick(["refused", "proxy_503", "effect_free_503"]);
    return random.chance(plan.faultRate) ? random.pick(faultNames) : "none";
  };

  const end = (exchange: Exchange, how: AttemptRecord["end"]): void => {
    const { attempt } = exchange;
    if (attempt.end !== "open") return;
    attempt.end = how;
    attempt.endedAt = scheduler.now;
    open.delete(exchange);
    for (const timer of exchange.timers) scheduler.cancel(timer);
    log(`${how} ${describe(attempt)}`);
    pass(attempt, "end");
  };

  const fail = (exchange: Exchange, error: unknown, how: AttemptRecord["end"]): void => {
    end(exchange, how);
    exchange.breakBody?.(error);
    exchange.reject(error);
  };

  const later = (exchange: Exchange, delayMs: number, task: () => void): void => {
    exchange.timers.push(scheduler.after(delayMs, task));
  };

  const respond = (exchange: Exchange, answer: Answer, body: Fault["body"]): void => {
    const { attempt } = exchange;
    attempt.headersAt = scheduler.now;
    const whole = body === undefined;
    // Every partial response needs a body, so that a response without one gets an empty object.
    const status = !whole && answer.status === 204 ? 200 : answer.status;
    attempt.status = status;
    const text = answer.text === "" && !whole ? "{}" : answer.text;
    const slow = whole && text !== "" && !healed && random.chance(0.05);
    if (whole && !slow) {
      attempt.code = codeOf(status, text);
      attempt.hintSecs = answer.hintSecs;
      const { response, isOpen } = wholeAnswer(text, status, answer.headers);
      unread.push(isOpen);
      end(exchange, "answered");
      pass(attempt, "headers");
      exchange.resolve(response);
      return;
    }
    // The header counts even if the body is lost.
    attempt.hintSecs = answer.headerSecs;
    const chunks = slow ? [text.slice(0, 4), text.slice(4)] : body === "stall" ? [] : [text.slice(0, text.length >> 1)];
    const finish = body === "halfBreak" ? "break" : body === undefined || body === "halfEnd" ? "close" : "stall";
    const opened = openBody({
      chunks,
      finish,
      failure: () => failureOf("early_eof", "", random),
      after: (task) => later(exchange, random.between(1, 400), task),
      onChunk: () => pass(attempt, "chunk"),
      onEnd: (how) => {
        if (how === "closed" && whole)
          Object.assign(attempt, { code: codeOf(status, text), hintSecs: answer.hintSecs });
        end(exchange, how === "closed" ? "answered" : how === "broken" ? "lost" : "cancelled");
      },
    });
    exchange.breakBody = opened.breakOff;
    unread.push(opened.isOpen);
    pass(attempt, "headers");
    exchange.resolve(new Response(opened.stream, { status, headers: answer.headers }));
  };

  const restart = (): void => {
    downUntil = scheduler.now + downMs;
    log("the backend restarts");
    for (const exchange of [...open]) {
      for (const timer of exchange.arrivals) scheduler.cancel(timer);
      fail(exchange, failureOf("backend_restart", "", random), "lost");
    }
  };

  /** Runs one exchange: `upMs` to the backend, `backMs` back to the client. */
  const play = (exchange: Exchange): void => {
    const { attempt, init } = exchange;
    const { fault } = attempt;
    const { executes, answer, body }: Fault = faults[fault];
    attempt.echoes = random.chance(0.1);
    const echo = attempt.echoes ? `authorization: Bearer ${attempt.token}` : "";
    if (scheduler.now < downUntil && !healed) {
      later(exchange, 1, () => fail(exchange, failureOf("refused", echo, random), "not_sent"));
      return;
    }
    const upMs = random.between(1, 150);
    const backMs = backMsOf(fault, attempt, upMs);
    const run = (copy: boolean): Promise<Answer> => execute(attempt, init, copy);
    const arrive = (delayMs: number, task: () => Promise<unknown>): void => {
      exchange.arrivals.push(scheduler.after(delayMs, () => scheduler.hold(task())));
    };
    const isTrue = fault === "effect_free_503" && attempt.client.plan.trust503Codes;
    const runs = executes === "before" || (executes === "maybe" && random.chance(0.5) && !isTrue);
    if (answer === "backend") {
      arrive(upMs, async () => {
        const real = await run(false);
        if (fault === "duplicated_request") await run(true);
        if (fault === "clock_jump") jump(attempt.client);
        const shown = fault === "wrong_content_type" ? mislabelled(real) : real;
        if (attempt.end === "open") later(exchange, backMs, () => respond(exchange, shown, body));
      });
      return;
    }
    if (runs) arrive(upMs, () => run(false));
    if (executes === "after") arrive(upMs + backMs + random.between(10, 90_000), () => run(false));
    if (answer === "silence") return;
    later(exchange, upMs + backMs, () => {
      if (fault === "backend_restart") restart();
      else if (answer === "made") respond(exchange, madeAnswer(fault, scheduler.now, echo, random), undefined);
      else fail(exchange, failureOf(fault, echo, random), fault === "refused" || fault === "dns" ? "not_sent" : "lost");
    });
  };

  const backMsOf = (fault: FaultName, attempt: AttemptRecord, upMs: number): number => {
    const { timeoutMs } = attempt.client.plan;
    if (fault === "latency_below_timeout") return timeoutMs - 1 - upMs;
    if (fault === "latency_at_timeout") return timeoutMs - upMs;
    if (fault === "latency_above_timeout") return timeoutMs + 1 - upMs;
    return !healed && random.chance(0.03) ? random.between(500, 20_000) : random.between(1, 150);
  };

  const jump = (client: ClientRecord): void => {
    const byMs = random.pick(jumps);
    client.skewMs += byMs;
    client.jumped = true;
    log(`the clock of ${client.plan.name} jumps by ${byMs} ms`);
  };

  const mislabelled = (answer: Answer): Answer => {
    const headers = { ...answer.headers, "Content-Type": "text/html" };
    if (answer.status >= 400 || answer.status === 204 || random.chance(0.5)) return { ...answer, headers };
    return { ...answer, headers, text: "<html>Welcome to the guest network</html>" };
  };

  return {
    fetchOf:
      (client: ClientRecord): typeof globalThis.fetch =>
      (input, init = {}) =>
        new Promise<Response>((resolve, reject) => {
          const { signal } = init;
          if (signal?.aborted) {
            reject(signal.reason);
            return;
          }
          const attempt = begin(client, String(input), init, drawFault);
          const exchange: Exchange = { attempt, init, resolve, reject, timers: [], arrivals: [], breakBody: undefined };
          open.add(exchange);
          // The request still arrives after the client has cancelled.
          signal?.addEventListener("abort", () => fail(exchange, signal.reason, "cancelled"), { once: true });
          play(exchange);
          pass(attempt, "send");
        }),
    /** The number of bodies that were neither read completely, nor cancelled, nor lost. */
    unreadBodies: () => unread.filter((isOpen) => isOpen()).length,
    /** Ends all faults. */
    heal() {
      healed = true;
    },
    isHealed: () => healed,
  };
}

function describe({ call, operation, status, code, fault }: AttemptRecord): string {
  return `${call ? `call ${call.id}` : "reconcile"} ${operation.id} ${fault} ${status ?? "-"} ${code ?? ""}`;
}
