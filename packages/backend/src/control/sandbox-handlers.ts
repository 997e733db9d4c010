import type { ScenarioName } from "../data/scenarios.ts";
import { controlDocument } from "../generated/document.gen.ts";
import { shownTimer } from "../model/change-log.ts";
import { type Policies, policyTable } from "../model/policies.ts";
import { InputError, withPathPrefix } from "../utils/input-error.ts";
import { isObject, omitUndefined } from "../utils/values.ts";
import type { BackendControls } from "./controls.ts";
import { streamAfter } from "./event-feed.ts";
import {
  type ControlHandlers,
  controlError,
  notFound,
  type SandboxRegistry,
  type SandboxState,
  type SuccessBody,
} from "./exchange.ts";

const maxUpcoming = 1000;
const rows = Object.entries(policyTable) as [keyof Policies, (typeof policyTable)[keyof Policies]][];
/** The number of events of an answer without `limit`. */
const eventsByDefault = 100;

export const sandboxHandlers = {
  getHealth: ({ backend }) => ({ status: "ok", control: versionOf(controlDocument()), api: apiVersionOf(backend) }),
  getOpenApiDocument: controlDocument,
  async listSandboxes({ sandboxes, backend }) {
    if (sandboxes === undefined) return { sandboxes: [{ ...addressOf(""), ...sandboxState(backend) }] };
    const summary = async (name: string): Promise<Summary[]> => {
      const state = await sandboxes.describe(name);
      return state === undefined ? [] : [{ ...addressOf(name), ...state }];
    };
    return { sandboxes: (await Promise.all((await sandboxes.list()).map(summary))).flat() };
  },
  async createSandbox({ sandboxes, body: { name, ...options } }) {
    await required(sandboxes).create(name, omitUndefined(options));
    return addressOf(name);
  },
  deleteSandbox: async ({ sandboxes, params }) =>
    (await required(sandboxes).delete(params.name)) ? undefined : notFound(`sandbox "${params.name}"`, "name"),
  downloadBackup({ sandboxes }) {
    const copy = sandboxes?.copy?.();
    if (copy === undefined)
      return controlError("conflict", "This server has no data file. Start it with --data-file, or take a snapshot.");
    return new Response(new Uint8Array(copy), { headers: { "Content-Type": "application/vnd.sqlite3" } });
  },
  resetSandbox: ({ backend }) => backend.reset(),
  seedSandbox: ({ backend, body }) => backend.seed(body),
  getSnapshot: ({ backend }) => backend.snapshot(),
  restoreSnapshot: ({ backend, body }) => backend.restore(body),
  getClock: ({ backend }) => formatClock(backend),
  updateClock({ backend, body }) {
    backend.clock.set(omitUndefined(body));
    return formatClock(backend);
  },
  async advanceClock({ backend, body }) {
    const effects = await backend.advance(body);
    return { ...formatClock(backend), effects };
  },
  getPolicies: ({ backend }) => ({ policies: shownPolicies(backend.policies) }),
  updatePolicies: ({ backend, body }) => ({ policies: shownPolicies(backend.updatePolicies(body)) }),
  applyScenario: ({ backend, params }) =>
    withPathPrefix("name", () => backend.applyScenario(params.name as ScenarioName)),
  streamEvents({ backend, query, headers }) {
    const resumeAfter = headers.get("last-event-id") ?? query?.after;
    const stream = streamAfter(backend, resumeAfter ?? backend.events.lastId);
    return new Response(stream, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  },
  listEvents: ({ backend, query: { after, limit = eventsByDefault } }) => backend.events.latest({ after, limit }),
} satisfies Partial<ControlHandlers>;

function required(sandboxes: SandboxRegistry | undefined): SandboxRegistry {
  if (sandboxes === undefined)
    throw new InputError("name", "this backend has no sandboxes. Create it with createSandboxes().");
  return sandboxes;
}

type Summary = SuccessBody<"listSandboxes">["sandboxes"][number];

function addressOf(name: string): Pick<Summary, "name" | "path"> {
  return { name, path: name === "" ? "" : `/_sandbox/${name}` };
}

/** What a backend shows in the list of sandboxes. */
export function sandboxState({ clock, journal }: Pick<BackendControls, "clock" | "journal">): SandboxState {
  const lastRequestAt = journal.latest?.at;
  return {
    now: clock.iso(),
    mode: clock.mode,
    rate: clock.rate,
    requestCount: journal.count,
    ...(lastRequestAt !== undefined && { lastRequestAt }),
  };
}

/** The version in the paths of the API (§9). */
function apiVersionOf({ operations }: BackendControls): string {
  return operations[0]?.path.split("/")[2] ?? "";
}

function versionOf({ info }: Readonly<Record<string, unknown>>): string {
  return isObject(info) ? String(info.version ?? "") : "";
}

function shownPolicies(policies: Readonly<Policies>): SuccessBody<"getPolicies">["policies"] {
  return rows.map(([name, { type, default: byDefault, description, assumption }]) => ({
    name,
    description,
    assumption,
    value: policies[name],
    default: byDefault,
    ...(type === "seconds" && { unit: "seconds" as const }),
    ...(Array.isArray(type) && { choices: [...type] }),
  }));
}

function formatClock({ clock, upcoming }: BackendControls): SuccessBody<"getClock"> {
  const all = upcoming();
  return {
    now: clock.iso(),
    mode: clock.mode,
    rate: clock.rate,
    pending: clock.pending,
    upcoming: all
      .slice(0, maxUpcoming)
      .map(({ at, ...timer }) => ({ at: new Date(at).toISOString(), ...shownTimer(timer) })),
    upcomingCount: all.length,
  };
}
