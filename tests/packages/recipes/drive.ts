// What every recipe for a server must do, asked of it over HTTP.
import assert from "node:assert/strict";
import { request } from "node:http";
import { demo } from "@call-transfer/backend";
import { until } from "../../receiving/server-process.ts";
import type { Running } from "./processes.ts";
import type { Stage } from "./stage.ts";

/** Longer than the SDK waits by itself. */
export const longWaitSecs = 120;
export const faults = {
  rateLimit: {
    match: { operationId: "createCall" },
    when: { times: 1 },
    do: { rateLimit: { retryAfterSecs: longWaitSecs } },
  },
  lostResponse: { match: { operationId: "createCall" }, when: { times: 1 }, do: "process_then_reset" },
  slow: { match: { operationId: "createCall" }, when: { times: 1 }, do: { latencyMs: 500 } },
  hang: { match: { operationId: "listCalls" }, when: { times: 1 }, do: "hang" },
} as const;

/** How many placements have reached the platform. */
export const placements = ({ backend }: Stage): number => backend.requests.list({ operationId: "createCall" }).length;

/** What of a recipe differs from the others. */
interface Manner {
  readonly path?: string;
  /** Whether a list ends when its client disconnects. */
  readonly abortsLists?: boolean;
  /** How the log shows a placed call. */
  readonly placed?: (requestId: string) => string;
}

/** Places calls and lists them, and provokes each error. Returns what was checked. */
export async function drive({ url, output }: Running, stage: Stage, manner: Manner = {}): Promise<string[]> {
  const { path = "/calls", abortsLists = true, placed: line = (id) => `call initiated (request ${id})` } = manner;
  const { backend } = stage;
  const place = async (toNumber: string) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ toNumber }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  const placed = await place(demo.recipients.anyone);
  assert.deepEqual([placed.status, placed.body.type], [201, "initiated"]);
  const [entry] = backend.requests.list({ operationId: "createCall" });
  assert.ok(entry, "the placement reached the platform");
  // Another process writes the log: its lines may arrive after the answer.
  await until("The log does not name the request.", () => output().includes(entry.requestId));

  const list = await fetch(`${url}${path}`);
  assert.equal(list.status, 200);
  assert.ok((await list.text()).includes(placed.body.callId), "the placed call is listed");

  const invalid = await place("not a number");
  assert.equal(invalid.status, 400);
  assert.equal(invalid.body.code, "validation_failed");
  assert.partialDeepStrictEqual(invalid.body.errors, [{ field: "toNumber", code: "phone_not_e164" }]);

  backend.faults.add(faults.rateLimit);
  const limited = await place(demo.recipients.anyone);
  assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, String(longWaitSecs)]);

  const [callsBefore, placementsBefore] = [backend.state.calls.size, placements(stage)];
  backend.faults.add(faults.lostResponse);
  const lost = await place(demo.recipients.anyone);
  assert.deepEqual([lost.status, lost.body.code], [409, "outcome_unknown"]);
  assert.equal(backend.state.calls.size, callsBefore + 1, "one call was placed");
  assert.equal(placements(stage), placementsBefore + 1, "the placement was sent once");
  assert.equal(lost.body.candidates, 2, "both placed calls may be it");

  if (abortsLists) await leaveList(`${url}${path}`, stage);
  await leavePlacement(`${url}${path}`, stage, (requestId) => output().includes(line(requestId)));
  return ["placed", "listed", "400", "429", "409", "disconnected"];
}

/** Sends a request and disconnects when the platform has got the recipe's own request for it. */
async function leave(address: string, { backend }: Stage, operationId: string, body?: object): Promise<void> {
  const before = backend.requests.list({ operationId }).length;
  const headers = { "content-type": "application/json" };
  const sent = request(address, body ? { method: "POST", headers } : {}).on("error", () => {});
  sent.end(body && JSON.stringify(body));
  await until(`${operationId} was not sent.`, () => backend.requests.list({ operationId }).length > before);
  sent.socket?.resetAndDestroy();
}

/** The client has left: the request of the recipe must end. */
async function leaveList(address: string, stage: Stage): Promise<void> {
  stage.backend.faults.add(faults.hang);
  await leave(address, stage, "listCalls");
  await stage.disconnected();
}

/** The phone rings all the same: the recipe must wait for the answer and log it. */
async function leavePlacement(address: string, stage: Stage, isLogged: (requestId: string) => boolean): Promise<void> {
  stage.backend.faults.add(faults.slow);
  await leave(address, stage, "createCall", { toNumber: demo.recipients.anyone });
  const { requestId = "" } = stage.backend.requests.list({ operationId: "createCall" }).at(-1) ?? {};
  await until("The placement whose client disconnected is not in the log.", () => isLogged(requestId));
}
