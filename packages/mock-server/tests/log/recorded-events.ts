import type { BackendEvent } from "@call-transfer/backend";

const [call, transfer] = ["ca7f1200-55aa-4b01-9c1e-3f2a10bb9e01", "7e0c1d22-90ab-4cde-8f01-23456789abcd"];
const [reception, app] = ["d0000000-0000-4000-8000-000000000001", "d0000000-0000-4000-8000-000000000003"];
const agent = "c0000000-0000-4000-8000-000000000004";
const destinations = "/api/v1/transfers/destinations";

let seconds = 0;
const event = (type: string, details: Readonly<Record<string, unknown>> = {}): BackendEvent => {
  seconds += 1;
  const at = new Date(Date.UTC(2026, 2, 2, 12, 0, seconds)).toISOString();
  return { eventId: `9f3c1a20-${seconds}`, at, type, ...details };
};
const request = (method: string, path: string, status: number, details: Readonly<Record<string, unknown>>) =>
  event("request.completed", { method, path, status, durationMs: 2.34, requestId: "r", ...details });
const gate = (detail: string) => ({ code: "forbidden", decidedBy: { step: "server", detail } });

/** An event of each type, and of each kind of answer, as a server sends them. */
export const recordedEvents: readonly BackendEvent[] = [
  request("POST", "/api/v1/calls", 201, { operationId: "createCall", decidedBy: { step: "operation" } }),
  event("call.started", { id: call }),
  request("GET", "/api/v1/roles", 200, { operationId: "listRoles", durationMs: 0.21 }),
  request("POST", `${destinations}/${app}/rotate-secret`, 200, { operationId: "rotateDestinationSecret" }),
  request("POST", "/api/v1/calls", 422, {
    operationId: "createCall",
    code: "validation_failed",
    decidedBy: { step: "body", section: "§4.3", detail: "toNumber: must be an E.164 number." },
  }),
  request("GET", "/api/v1/role", 404, {
    code: "not_found",
    decidedBy: { step: "route", detail: "No operation has this path." },
    closestOperations: [{ operationId: "listRoles", method: "GET", path: "/api/v1/roles" }],
  }),
  request("GET", "/api/v1/roles", 503, { operationId: "listRoles", code: "service_unavailable", fault: "fault-1" }),
  request("GET", "/api/v1/roles", 0, { operationId: "listRoles", fault: "fault-2", durationMs: 1234 }),
  request("GET", `${destinations}/${app}`, 500, {
    operationId: "getDestination",
    code: "internal_error",
    error: "Error: broken\n    at handler",
  }),
  event("request.rejected", {
    ...{ method: "GET", path: "/api/v1/roles", status: 403, durationMs: 2.34 },
    ...gate('Host "10.0.2.2" is not allowed. Add it with --allow-host 10.0.2.2.'),
  }),
  event("transfer.started", { id: transfer }),
  event("transfer.ring_started", { id: transfer, destinationId: reception }),
  event("delivery.started", {
    id: "w1",
    destinationId: app,
    transferId: transfer,
    url: "http://127.0.0.1:4011/offers",
  }),
  event("transfer.ring_ended", { id: transfer, destinationId: reception, memberId: agent, outcome: "declined" }),
  event("transfer.ring_ended", {
    id: transfer,
    destinationId: app,
    outcome: "declined",
    reason: "the app answered 400",
  }),
  event("transfer.ring_ended", { id: transfer, destinationId: app, outcome: "taken", takenBy: reception }),
  event("transfer.skipped", { id: transfer, ringIndex: 1, destinationId: app, reason: "the destination is disabled" }),
  event("delivery.completed", {
    id: "w1",
    destinationId: app,
    transferId: transfer,
    url: "http://127.0.0.1:4011/offers",
    status: 200,
    accepted: true,
    durationMs: 12.4,
    signature: { t: 1772452800, v1: 2, secrets: ["current", "previous"] },
  }),
  event("delivery.completed", {
    id: "w2",
    destinationId: app,
    url: "http://127.0.0.1:4011/offers",
    accepted: false,
    error: "connect ECONNREFUSED 127.0.0.1:4011",
    durationMs: 1.2,
    fault: "fault-3",
    signature: { t: 1772452800, v1: 1, secrets: ["other"] },
  }),
  event("delivery.completed", {
    ...{ id: "w3", destinationId: app, url: "http://127.0.0.1:4011/offers", status: 401, accepted: false },
    ...{ durationMs: 3.4, responseText: "No signature matches. Compare the signing secrets.", fault: "fault-3" },
  }),
  event("transfer.connected", { id: transfer, destinationId: app }),
  event("transfer.answered_late", { id: transfer, destinationId: reception, code: "offer_taken" }),
  event("transfer.ended", { id: transfer }),
  event("member.availability_changed", {
    id: agent,
    status: "away",
    source: "auto",
    reason: "missed_calls",
    until: "2026-03-02T12:15:00.000Z",
  }),
  event("availability.ended", { id: agent }),
  event("secret.expired", { id: app }),
  event("timer.set", { kind: "call.ends", timerAt: "2026-03-02T12:01:00.000Z", id: call }),
  event("timer.fired", { kind: "call.ends", timerAt: "2026-03-02T12:01:00.000Z", id: call }),
  event("call.completed", { id: call }),
  event("clock.changed", { now: "2026-03-03T12:00:00.000Z", mode: "frozen", rate: 1, by: 86_400_000 }),
  event("clock.changed", { now: "2026-03-03T12:00:00.000Z", mode: "running", rate: 10 }),
  event("fault.added", { id: "fault-4" }),
  event("fault.added", { id: "fault-5", match: { operationId: "createCall" }, do: { code: "service_unavailable" } }),
  event("fault.added", { id: "fault-6", do: "reset", text: "createCall header x-test=slow reset" }),
  event("fault.removed", { id: "fault-5", hits: 1, isUsedUp: true }),
  event("fault.removed", { id: "fault-4", hits: 2, isUsedUp: false }),
  event("fault.hit", { id: "fault-4", requestId: "9" }),
  event("policies.changed", { concurrentCallLimit: 2 }),
  event("record.changed", { collection: "members", id: agent, change: "updated" }),
  event("scenario.applied", { name: "app-misses-every-offer" }),
  event("sandbox.created", { name: "run-17" }),
  event("sandbox.reset"),
  event("inbox.received", { id: "w1" }),
  event("log.dropped", { count: 1204 }),
  event("stream.gap"),
];
