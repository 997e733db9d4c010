// Calls the methods of the SDK, waits for the results and sometimes aborts.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import { CallTransferError, OutcomeUnknownError } from "@call-transfer/sdk";
import { type OperationDescription, operations } from "@call-transfer/spec";
import { operationOf } from "../../packages/contract/src/suite/recorder.ts";
import type { FaultName } from "./faults.ts";
import type { AbortPlan, CallPlan } from "./plan.ts";
import type { AttemptRecord, CallRecord, ClientRecord, World } from "./records.ts";
import { things } from "./seed.ts";

/** The request header that holds the id of the call. */
const callHeader = "x-simulated-call";

/** The base URL of the simulated API. */
export const baseUrl = "https://api.example.com";

/** The call that the running code belongs to. */
export const currentCall = new AsyncLocalStorage<CallRecord>();

/** Makes calls and records them with their attempts. */
export type Caller = ReturnType<typeof createCaller>;

const knownRequests = new Map<string, OperationDescription>();

/** The operation of a request; undefined if the API does not have it. */
function operationAt(method: string, url: string): OperationDescription | undefined {
  const key = `${method} ${url.split("?")[0]}`;
  const known = knownRequests.get(key);
  if (known) return known;
  const { pathname, origin } = new URL(url);
  const found = operationOf(method, pathname);
  if (found === undefined || origin !== baseUrl) return undefined;
  knownRequests.set(key, operations[found]);
  return operations[found];
}

/** The request body of a call. It contains the call's id, so that the backend's record can be found. */
function bodyOf(plan: CallPlan, id: number, own: (typeof things)[number]): object {
  if (plan.operation.idempotency === "conflict_safe") {
    const [first = "", second = ""] = own.apps;
    // Few names, so that some are already taken.
    const name = plan.choice === 0 ? `Group of call ${id}` : `Shared group ${id % 4}`;
    return { name, members: [{ destinationId: first }, { destinationId: second, ringTimeoutSecs: 20 }] };
  }
  const toNumber = `+1555${String(1_000_000 + id)}`;
  return { flowId: own.flowId, fromNumber: own.fromNumber, toNumber, note: id };
}

/** The arguments of the SDK's method without the options: path parameters, then body or query. */
function inputOf(plan: CallPlan, id: number, accountId: string): unknown[] {
  const ownFirst = things[0].accountId === accountId;
  const [own, other] = ownFirst ? things : [things[1], things[0]];
  const named = plan.foreign ? other : own;
  const { operation, choice } = plan;
  const idFor = (name: string) => (name === "memberId" ? named.members : named.apps)[choice] ?? "";
  const query = Object.keys(operation.queryParameters).length > 0 ? [{ limit: 5 + choice }] : [];
  return [...operation.pathParameters.map(idFor), ...(operation.hasBody ? [bodyOf(plan, id, named)] : query)];
}

/** Creates the caller of one world. */
export function createCaller({ scheduler, calls, attempts, log, violate }: World) {
  const passed = new Map<string, number>();

  const abort = (record: CallRecord): void => {
    if (record.controller === undefined || record.controller.signal.aborted) return;
    if (record.settledAt === undefined) record.abortedAt = scheduler.now;
    log(`abort ${record.id}`);
    record.controller.abort(new Error("aborted by the caller"));
  };

  const reach = (record: CallRecord, point: AbortPlan["point"]): void => {
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
    if (error instanceof CallTransferError) log(`settled ${record.id} ${error.name}: ${error.message}`);
    else if (error !== undefined) violate("5 settles", `call ${record.id} threw ${inspect(error)}`);
    else log(`settled ${record.id}`);
    onSettled();
  };

  return {
    call(plan: CallPlan, client: ClientRecord, onSettled: () => void): void {
      const id = calls.length;
      const controller = plan.abort ? new AbortController() : undefined;
      const record: CallRecord = {
        id,
        plan,
        client,
        startedAt: scheduler.now,
        controller,
        attempts: [],
        settlements: 0,
        shownError: "",
      };
      calls.push(record);
      log(`call ${id} ${client.plan.name} ${plan.operation.id}`);
      const { totalTimeoutMs } = plan;
      const options = {
        headers: { [callHeader]: String(id) },
        ...(controller ? { signal: controller.signal } : {}),
        ...(totalTimeoutMs === undefined ? {} : { totalTimeoutMs }),
      };
      const resource: unknown = Reflect.get(client.sdk, plan.operation.resource);
      const method: (...input: unknown[]) => Promise<unknown> = Reflect.get(Object(resource), plan.operation.sdkMethod);
      const input = [...inputOf(plan, id, client.accountId), options];
      const promise = currentCall.run(record, () => Reflect.apply(method, resource, input));
      reach(record, "start");
      promise.then(
        (value) => settle(Object.assign(record, { value }), onSettled),
        (error: unknown) => settle(Object.assign(record, { error }), onSettled),
      );
    },
    /** Records a request that the SDK passes to its fetch. */
    begin(
      client: ClientRecord,
      url: string,
      init: RequestInit,
      drawFault: (call: CallRecord | undefined) => FaultName,
    ): AttemptRecord {
      const headers = init.headers as Headers;
      const id = headers.get(callHeader);
      const operation = operationAt(init.method ?? "", url);
      if (!operation || init.redirect !== "manual")
        throw new Error(`Unexpected request of the SDK: ${init.method} ${url} with redirect ${init.redirect}`);
      const named = id === null ? undefined : calls[Number(id)];
      // A request of reconcile() carries the header of its call, but is not one of its attempts.
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
        end: "open",
        echoes: false,
      };
      attempts.push(record);
      call?.attempts.push(record);
      log(`send ${call ? `${call.id} #${call.attempts.length}` : "reconcile"} ${operation.id} ${record.fault}`);
      return record;
    },
    /** Aborts the call if its plan says so for this point. */
    pass(attempt: AttemptRecord, point: AbortPlan["point"]): void {
      if (attempt.call) reach(attempt.call, point);
    },
  };
}

/** The error in every printed form. The slow form is only made if the error could contain a secret. */
function shownOf({ error, attempts }: CallRecord): string {
  if (!(error instanceof CallTransferError)) return "";
  const hasBody = error instanceof OutcomeUnknownError && error.partialBody !== undefined;
  const inspected =
    hasBody || attempts.some(({ echoes }) => echoes)
      ? `${inspect(error, { depth: 6 })}\n${messagesOf(error.cause)}`
      : "";
  return `${error.message}\n${JSON.stringify(error)}\n${inspected}`;
}

/** The messages of a cause and of its own causes, which a stack may not show. */
function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return [cause.message, ...[cause.cause, ...inner].filter((one) => one !== undefined).map(messagesOf)].join("\n");
}

/** Waits for microtasks, so that an abort can happen between any two of the SDK's. */
async function afterTicks(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await undefined;
}
