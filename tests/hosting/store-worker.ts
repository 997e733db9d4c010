// A Worker that runs a case of stores in a Durable Object.
import type { RowChange } from "@call-transfer/backend";
import type { ObjectState, WorkerEnv } from "@call-transfer/mock-server/worker";
import { sandboxStoreCases } from "../../packages/backend/tests/store/cases.ts";
import { SqlStore } from "../../packages/mock-server/src/worker/sql-store.ts";

export { SandboxDirectory } from "@call-transfer/mock-server/worker";

/** A change that no storage takes. */
const wrong = { table: "groups", key: Symbol("wrong"), text: "2" } as unknown as RowChange;

/** Commits changes of which the second fails, and returns what is stored then. */
function failCommit(store: SqlStore): string {
  store.commit([{ table: "groups", key: "a", text: "1" }]);
  try {
    store.commit([{ table: "groups", key: "a", text: "2" }, wrong]);
    return "did not fail";
  } catch {
    store.commit([{ table: "groups", key: "c", text: "3" }]);
    return [...(store.load() ?? [])].map(({ key, text }) => `${key}=${text}`).join(" ");
  }
}

export class Sandbox {
  readonly #state: ObjectState;
  constructor(state: ObjectState) {
    this.#state = state;
  }
  async fetch(request: Request): Promise<Response> {
    const name = await request.text();
    if (name === "a failed commit") return new Response(failCommit(new SqlStore(this.#state.storage, "sandbox")));
    const { run } = sandboxStoreCases.find((each) => each.name === name) ?? {};
    const outcome = run?.(() => new SqlStore(this.#state.storage, "sandbox")).then(
      () => "passed",
      (error: unknown) => String(error),
    );
    return new Response((await outcome) ?? "no such case");
  }
}

export default {
  async fetch(request: Request, { SANDBOX }: WorkerEnv): Promise<Response> {
    const name = await request.text();
    const object = SANDBOX.get(SANDBOX.idFromName(name));
    return object.fetch(new Request(request.url, { method: "POST", body: name }));
  },
};
