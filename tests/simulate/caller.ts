// Whoever calls the SDK's methods, waits for them and sometimes changes their mind.
import { inspect } from "node:util";
import { CallTransferError, OutcomeUnknownError } from "@call-transfer/sdk";
import { type OperationDescription, operations } from "@call-transfer/spec";
import type { FaultName } from "./faults.ts";
import type { AbortPlan, CallPlan } from "./plan.ts";
import type { AttemptRecord, CallRecord, ClientRecord } from "./records.ts";
import type { Scheduler } from "./scheduler.ts";
import { things } from "./world.ts";

/** Names the logical call of a request, for the network's bookkeeping. */
const callHeader = "x-simulated-call";

/** Where the simulated API is. */
export const baseUrl = "https://api.example.com";

/** What callers share. */
export interface CallerWorld {
  readonly scheduler: Scheduler;
  readonly calls: CallRecord[];
  readonly attempts: AttemptRecord[];
  trace(words: string): void;
  violate(invariant: string, message: string): void;
}

/** Makes calls and keeps their records. */
export interface Caller {
  call(plan: CallPlan, client: ClientRecord, onSettled: () => void): void;
  begin(
    client: ClientRecord,
    url: string,
    init: RequestInit,
    drawFault: (call: CallRecord | undefined) => FaultName,
  ): AttemptRecord;
  pass(attempt: AttemptRecord, point: AbortPlan["point"]): void;
}

const byPlace = (Object.values(operations) as readonly OperationDescription[]).map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, "[^/]+")}$`),
}));

const knownPlaces = new Map<string, OperationDescription>();

/** The operation of a request; undefined for one that the API does not have. */
function operationAt(method: string, url: string): OperationDescription | undefined {
  const place = `${method} ${url.split("?")[0]}`;
  const known = knownPlaces.get(place);
  if (known) return known;
  const { pathname, origin } = new URL(url);
  const found = byPlace.find((one) => one.operation.method === method && one.pattern.test(pathname));
  if (found && origin === baseUrl) knownPlaces.set(place, found.operation);
  return knownPlaces.get(place);
}

/** What a call sends as its body: something of its own, by which it can be found again. */
function bodyOf(plan: CallPlan, id: number, own: (typeof things)[number]): object {
  if (plan.operation.retry === "unique") {
    const [first = "", second = ""] = own.apps;
    // Few names, so that callers meet names that are taken.
    const name = plan.choice === 0 ? `Group of call ${id}` : `Shared group ${id % 4}`;
    return { name, members: [{ destinationId: first }, { destinationId: second, ringTimeoutSecs: 20 }] };
  }
  const toNumber = `+1555${String(1_000_000 + id)}`;
  return { flowId: own.flowId, fromNumber: own.fromNumber, toNumber, note: id };
}

/** The arguments of the SDK's method, in its order: path parameters, body or query, options. */
function inputOf(plan: CallPlan, id: number, accountId: string): unknown[] {
  const ownFirst = things[0].accountId === accountId;
  const [own, other] = ownFirst ? things : [things[1], things[0]];
  const named = plan.foreign ? other : own;
  const { operation, choice } = plan;
  const place = (name: string) => (name === "memberId" ? named.members : named.apps)[choice] ?? "";
  const query = Object.keys(operation.queryParameters).length > 0 ? [{ limit: 5 + choice }] : [];
  return [...operation.pathParameters.map(place), ...(operation.hasBody ? [bodyOf(plan, id, named)] : query)];
}

/** Creates the callers of one world. */
export function createCaller({ scheduler, calls, attempts, trace, violate }: CallerWorld): Caller {
  const passed = new Map<string, number>();

  const abort = (record: CallRecord): void => {
    if (record.controller === undefined || record.controller.signal.aborted) return;
    if (record.settledAt === undefined) record.abortedAt = scheduler.now;
    trace(`abort ${record.id}`);
    record.controller.abort(new Error("the caller changed their mind"));
  };

  const come = (record: CallRecord, point: AbortPlan["point"]): void => {
    const { abort: plan } = record.plan;
    if (plan?.point !== point) return;
    const key = `${record.id} ${point}`;
    const count = passed.get(key) ?? 0;
    passed.set(key, count + 1);
    if (count !== plan.nth) return;
    if (plan.delayMs > 0) scheduler.after(plan.delayMs, () => abort(record));
    else void afterTicks(plan.ticks).then(() => abort(record));
  };

  const settle = (record: CallRecord, onSettled: () => void): void => {
    record.settlements += 1;
    record.settledAt = scheduler.now;
    if (record.settlements > 1) violate("5 settles", `call ${record.id} settled ${record.settlements} times`);
    const { error } = record;
    record.shownError = shownOf(record);
    if (error instanceof CallTransferError) trace(`settled ${record.id} ${error.name}: ${error.message}`);
    else if (error !== undefined) violate("5 settles", `call ${record.id} threw ${inspect(error)}`);
    else trace(`settled ${record.id}`);
    onSettled();
  };

  return {
    call(plan, client, onSettled) {
      const id = calls.length;
      const controller = plan.abort ? new AbortController() : undefined;
      const record: CallRecord = {
        id,
        plan,
        client,
        startedAt: scheduler.now,
        controller,
        attempts: [],
        abortedAt: undefined,
        settlements: 0,
        settledAt: undefined,
        value: undefined,
        error: undefined,
        shownError: "",
      };
      calls.push(record);
      trace(`call ${id} ${client.plan.name} ${plan.operation.id}`);
      const { totalTimeoutMs } = plan;
      const options = {
        headers: { [callHeader]: String(id) },
        ...(controller ? { signal: controller.signal } : {}),
        ...(totalTimeoutMs === undefined ? {} : { totalTimeoutMs }),
      };
      const resource: unknown = Reflect.get(client.sdk, plan.operation.resource);
      const method = Reflect.get(Object(resource), plan.operation.sdkMethod) as (
        ...input: unknown[]
      ) => Promise<unknown>;
      const promise = Reflect.apply(method, resource, [...inputOf(plan, id, client.accountId), options]);
      come(record, "start");
      promise.then(
        (value) => {
          record.value = value;
          settle(record, onSettled);
        },
        (error: unknown) => {
          record.error = error;
          settle(record, onSettled);
        },
      );
    },
    begin(client, url, init, drawFault) {
      const headers = init.headers as Headers;
      const id = headers.get(callHeader);
      const operation = operationAt(init.method ?? "", url);
      if (!operation || init.redirect !== "manual")
        throw new Error(`the SDK asked for ${init.method} ${url} with redirect ${init.redirect}`);
      const named = id === null ? undefined : calls[Number(id)];
      // A look at the list on behalf of a call is none of its attempts.
      const call = named?.plan.operation === operation ? named : undefined;
      const record: AttemptRecord = {
        client,
        call,
        operation,
        url,
        fault: drawFault(call),
        startedAt: scheduler.now,
        token: (headers.get("authorization") ?? "").slice("Bearer ".length),
        executions: [],
        endedAt: undefined,
        end: "open",
        headersAt: undefined,
        status: undefined,
        code: undefined,
        hintSecs: undefined,
        unreadable: false,
        echoes: false,
      };
      attempts.push(record);
      call?.attempts.push(record);
      trace(`send ${call ? `${call.id} #${call.attempts.length}` : "look"} ${operation.id} ${record.fault}`);
      return record;
    },
    pass(attempt, point) {
      if (attempt.call) come(attempt.call, point);
    },
  };
}

/** The error in all forms in which it may be printed; the costly one only where something secret came near it. */
function shownOf({ error, attempts }: CallRecord): string {
  if (!(error instanceof CallTransferError)) return "";
  const hasBody = error instanceof OutcomeUnknownError && error.partialBody !== undefined;
  const thorough =
    hasBody || attempts.some(({ echoes }) => echoes)
      ? `${inspect(error, { depth: 6 })}\n${messagesOf(error.cause)}`
      : "";
  return `${error.message}\n${JSON.stringify(error)}\n${thorough}`;
}

/** The messages of a cause and of what stands behind it: a stack may be clean where they are not. */
function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return [cause.message, ...[cause.cause, ...inner].filter((one) => one !== undefined).map(messagesOf)].join("\n");
}

/** Waits for so many microtasks, so that an abort can fall between any two of the SDK's. */
async function afterTicks(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await undefined;
}
