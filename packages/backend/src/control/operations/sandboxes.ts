import { controlDocument } from "../../generated/document.gen.ts";
import { InputError } from "../../model/errors/input-error.ts";
import { omitUndefined } from "../../model/values/omit-undefined.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { ControlHandlers, SandboxRegistry, SandboxState } from "../parts/exchange.ts";
import { controlError, type SuccessBody } from "../parts/reply.ts";

export const sandboxHandlers = {
  getHealth: () => ({ status: "ok" }),
  getVersion: ({ backend }) => ({ control: versionOf(controlDocument()), api: apiVersionOf(backend) }),
  getDocument: controlDocument,
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
    (await required(sandboxes).delete(params.name))
      ? undefined
      : controlError("not_found", `There is no sandbox "${params.name}".`, "name"),
  getBackup({ sandboxes }) {
    const copy = sandboxes?.copy?.();
    if (copy === undefined)
      return controlError("conflict", "This server has no data file. Start it with --data-file, or take a snapshot.");
    return new Response(new Uint8Array(copy), { headers: { "Content-Type": "application/vnd.sqlite3" } });
  },
  resetSandbox: ({ backend }) => backend.reset(),
  addSeed: ({ backend, body }) => backend.seed(body),
  getSnapshot: ({ backend }) => backend.snapshot(),
  putSnapshot: ({ backend, body }) => backend.restore(body),
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
  return typeof info === "object" && info !== null && "version" in info ? String(info.version) : "";
}
