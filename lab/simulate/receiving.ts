// Offers that arrive as several copies at several processes, which share a store.
import { createWebhookHandler, signWebhook, type WebhookEvent, type WebhookHandler } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import { currentRequest, Process } from "./processes.ts";
import {
  appPlanOf,
  copiesOf,
  type OfferRecord,
  type Receiving,
  type RequestRecord,
  receivingPlanOf,
  type SenderRecord,
  type StartRecord,
} from "./receiving-plan.ts";
import type { World } from "./records.ts";
import type { Random } from "./scheduler.ts";
import { receiverUrl } from "./seed.ts";
import { createSharedStore } from "./stores.ts";

/** An offer as the backend sent it. */
export interface Message {
  readonly header: string;
  readonly body: string;
}

/** A process that is replaced after a crash. */
interface Machine {
  readonly scope: string;
  process: Process;
  handle: WebhookHandler;
}

const { header: headerName } = webhookSignature;
const scopes = ["reception", "billing"] as const;
const machinesPerScope = 2;
/** When a sender gives up. */
const senderTimeoutMs = 10_000;
const mostAttempts = 20;
const mostTroubles = 2;

/** Sends copies of offers to two receivers that share a store, and records what becomes of them. */
export function receiveOffers(world: World, random: Random, messages: readonly Message[], secret: string): Receiving {
  const { scheduler, log } = world;
  const plan = receivingPlanOf(random);
  const { leaseDurationMs: leaseMs, storeTimeoutMs } = plan.options;
  const store = createSharedStore(scheduler, plan.store, storeTimeoutMs, random);
  const now = (): number => scheduler.now;
  const offers = new Map<string, OfferRecord>();
  let [processes, troubles] = [0, 0];
  log(`receivers ${JSON.stringify(plan)}`);

  const decide = async (name: string): Promise<Response> => {
    const { app, starts } = offers.get(name) as OfferRecord;
    const number = starts.length;
    const failure = app.failures[number];
    const request = currentRequest() as RequestRecord;
    const start: StartRecord = { request, at: now(), fails: failure !== undefined };
    starts.push(start);
    log(`start ${number} of ${name} in ${request.process.name}`);
    const ms = app.takesMs[number] ?? app.takesMs.at(-1) ?? 0;
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    start.endedAt = now();
    if (failure === "throws") throw new Error("The app failed.");
    const status = failure ?? app.status;
    return new Response(status === 204 ? null : `decision ${number} of ${name}`, { status });
  };
  const start = (scope: string): Pick<Machine, "process" | "handle"> => {
    const process = new Process(`process ${processes++} of ${scope}`, scheduler);
    const onEvent = (event: WebhookEvent) => decide(`${scope} ${event.id}`);
    const handle = createWebhookHandler({
      ...plan.options,
      secret,
      clock: { now },
      store: store.of(process, scope),
      onEvent,
    });
    return { process, handle };
  };
  const machines: Machine[] = scopes.flatMap((scope) =>
    Array.from({ length: machinesPerScope }, () => ({ scope, ...start(scope) })),
  );

  /** Stalls or crashes a process soon after a request has arrived. */
  const disturb = (machine: Machine): void => {
    if (plan.trouble === "none" || troubles === mostTroubles || !random.chance(0.6)) return;
    troubles += 1;
    const { process } = machine;
    const stallMs = leaseMs * random.pick([0.2, 1.5, 4]);
    const downMs = random.pick([50, 3000]);
    scheduler.after(random.pick([0.5, 2, 10, 100, leaseMs / 2, leaseMs * 2]), () => {
      log(`${process.name}: ${plan.trouble}`);
      if (plan.trouble === "stall") return process.stall(stallMs);
      process.crash();
      scheduler.after(downMs, () => void Object.assign(machine, start(machine.scope)));
    });
  };

  /** Passes a request to a process. The clock stands still while signatures are checked. */
  const deliver = (
    { handle, process }: Machine,
    offer: OfferRecord,
    message: Message,
    done: (of: RequestRecord) => void,
  ) =>
    process.receive(() => {
      let onStep = (): void => {};
      scheduler.hold(new Promise<void>((resolve) => (onStep = resolve)));
      const request: RequestRecord = { process, at: now(), steps: [], onStep: () => onStep() };
      offer.requests.push(request);
      const { header, body } = message;
      const sent = new Request(receiverUrl, { method: "POST", body, headers: { [headerName]: header } });
      void process.run(request, async () => {
        const response = await handle(sent);
        request.settledAt = now();
        request.status = response.status;
        log(`${offer.name} at ${process.name}: ${response.status}`);
        request.text = await response.text();
        onStep();
        done(request);
      });
    });

  const send = (offer: OfferRecord, scope: string, message: Message, afterMs: number): void => {
    const sender: SenderRecord = { attempts: 0, missedAnAnswer: false, status: undefined, text: "" };
    offer.senders.push(sender);
    const attempt = async (): Promise<void> => {
      sender.attempts += 1;
      const machine = random.pick(machines.filter((one) => one.scope === scope));
      const isAnew = sender.attempts > 8 || random.chance(0.4);
      const header = isAnew ? await signWebhook(message.body, { secret, timestampMs: now() }) : message.header;
      let isOver = false;
      const end = (result: RequestRecord | undefined): void => {
        if (isOver) return;
        isOver = true;
        scheduler.cancel(limit);
        sender.status = result?.status;
        sender.text = result?.text ?? "";
        if (result === undefined) sender.missedAnAnswer = true;
        if ((sender.status ?? 500) < 500 || sender.attempts === mostAttempts) return;
        const pauseMs = sender.attempts < 8 ? random.pick([0, 1000, 2000]) : 6000;
        scheduler.after(pauseMs, () => scheduler.hold(attempt()));
      };
      const limit = scheduler.after(senderTimeoutMs, () => end(undefined));
      deliver(machine, offer, { ...message, header }, end);
      disturb(machine);
    };
    scheduler.after(afterMs, () => scheduler.hold(attempt()));
  };

  for (const message of messages) {
    const { id }: { id: string } = JSON.parse(message.body);
    for (const scope of random.chance(0.5) ? scopes : scopes.slice(0, 1)) {
      const name = `${scope} ${id}`;
      const offer: OfferRecord = { name, app: appPlanOf(random, leaseMs), starts: [], requests: [], senders: [] };
      offers.set(name, offer);
      for (const delayMs of copiesOf(random, leaseMs)) send(offer, scope, message, delayMs);
    }
  }
  return { plan, offers: [...offers.values()], forgotAt: store.forgotAt };
}
