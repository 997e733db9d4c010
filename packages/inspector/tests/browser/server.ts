// The mock server of a test: the command in a process of its own. What a test prepares and checks beside
// the page goes through the control plane.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seed } from "@call-transfer/backend";
import { createControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { commandFile } from "../../../../build/command-file.ts";

const readyWithinMs = 240_000;
const endsWithinMs = 30_000;

/** Options of the command. The port is a free one by default. With `publicUrl`, name a free one. */
export interface ServerOptions {
  readonly port?: number;
  readonly clock?: "frozen" | "flowing";
  readonly now?: string;
  readonly controlToken?: string;
  readonly publicUrl?: string;
  readonly seed?: Seed;
}

/** A running server, with what a test prepares in its sandbox `default`. */
export interface Server extends Sandbox {
  readonly url: string;
  readonly port: number;
  /** Prepares another sandbox. */
  sandbox(name: string): Sandbox;
  close(): Promise<void>;
}

type Collection = "accounts" | "members" | "destinations" | "groups" | "roles";
type StateRecord = Readonly<Record<string, unknown>>;

/** Starts the command and waits until it listens. */
export async function startServer({ seed, ...options }: ServerOptions = {}): Promise<Server> {
  // Outside of the repository, so that no settings of a developer are read.
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-inspector-"));
  if (seed !== undefined) writeFileSync(join(folder, "seed.json"), JSON.stringify(seed));
  const { port = 0, clock, now, controlToken, publicUrl } = options;
  const given = { port, clock, now, "control-token": controlToken, "public-url": publicUrl, seed: seed && "seed.json" };
  const args = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("CALL_TRANSFER_"));
  const child = spawn(process.execPath, [commandFile(), "--json", ...args], {
    ...{ cwd: folder, env: Object.fromEntries(environment), stdio: ["ignore", "pipe", "inherit"] },
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      if ((await Promise.race([exit, sleep(endsWithinMs, "late", { ref: false })])) === "late") child.kill("SIGKILL");
      await exit;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const limit = AbortSignal.timeout(readyWithinMs);
    const ended = once(child, "exit", { signal: limit }).then(([status]) => {
      throw new Error(`The mock server ended with status ${status}.`);
    });
    const [line] = (await Promise.race([once(lines, "line", { signal: limit }), ended])) as [string];
    ended.catch(() => {});
    const { url: printed } = JSON.parse(line) as { url: string };
    // With a public URL, the command prints that one.
    const ownPort = port === 0 ? Number(new URL(printed).port) : port;
    const url = `http://127.0.0.1:${ownPort}`;
    const sandbox = (name?: string) => sandboxAt(url, name, controlToken);
    return { ...sandbox(), url: publicUrl ?? url, port: ownPort, sandbox, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What tests prepare and check in a sandbox. */
export type Sandbox = ReturnType<typeof sandboxAt>;

function sandboxAt(url: string, sandbox: string | undefined, token: string | undefined) {
  const control = createControlClient({ url, sandbox, token });
  const at = (collection: Collection, id: string) => ({ params: { path: { collection, id } } });
  return {
    reset: async () => dataOf(await control.POST("/_control/v1/reset")),
    applyScenario: async (name: Schema<"ScenarioName">) =>
      dataOf(await control.POST("/_control/v1/scenarios/{name}", { params: { path: { name } } })),
    snapshot: async () => dataAs<"Snapshot">(await control.GET("/_control/v1/snapshot")),
    clock: async () => dataAs<"Clock">(await control.GET("/_control/v1/clock")),
    updateClock: async (body: Schema<"ClockSetting">) => dataOf(await control.PATCH("/_control/v1/clock", { body })),
    advance: async (by: number) => dataOf(await control.POST("/_control/v1/clock/advance", { body: { by } })),
    /** The value of each policy by its name. */
    policies: async (): Promise<Readonly<Record<string, unknown>>> => {
      const { policies } = dataAs<"PolicyList">(await control.GET("/_control/v1/policies"));
      return Object.fromEntries(policies.map(({ name, value }) => [name, value]));
    },
    updatePolicies: async (body: Schema<"Policies">) => dataOf(await control.PATCH("/_control/v1/policies", { body })),
    requests: async () => dataAs<"RequestList">(await control.GET("/_control/v1/requests")).requests,
    issueApiKey: async (body: Schema<"NewApiKey">) =>
      dataAs<"ApiKey">(await control.POST("/_control/v1/credentials/api-keys", { body })).key,
    faults: async () => dataAs<"FaultList">(await control.GET("/_control/v1/faults")).faults,
    /** Adds a fault and returns its id. */
    addFault: async (text: string) => dataOf(await control.POST("/_control/v1/faults", { body: { text } })).id,
    deleteFault: async (id: string) =>
      dataOf(await control.DELETE("/_control/v1/faults", { params: { query: { id } } })),
    addStub: async (body: Schema<"Stub">) => dataOf(await control.POST("/_control/v1/stubs", { body })).id,
    startTransfer: async (body: Schema<"NewTransfer">) =>
      dataAs<"Transfer">(await control.POST("/_control/v1/transfers", { body })),
    transfers: async () => dataAs<"TransferList">(await control.GET("/_control/v1/transfers")).transfers,
    trigger: async (destinationId: string) =>
      dataAs<"Delivery">(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } })),
    deliveries: async () => dataAs<"DeliveryList">(await control.GET("/_control/v1/webhooks/deliveries")).deliveries,
    records: async (collection: Collection): Promise<readonly StateRecord[]> =>
      dataAs<"RecordList">(await control.GET("/_control/v1/records/{collection}", { params: { path: { collection } } }))
        .records,
    record: async (collection: Collection, id: string): Promise<StateRecord> => {
      const params = { path: { collection }, query: { id } };
      return dataAs<"RecordList">(await control.GET("/_control/v1/records/{collection}", { params })).records[0] ?? {};
    },
    addRecord: async (collection: Collection, body: StateRecord) =>
      dataOf(await control.POST("/_control/v1/records/{collection}", { params: { path: { collection } }, body })),
    changeRecord: async (collection: Collection, id: string, body: StateRecord) =>
      dataOf(await control.PATCH("/_control/v1/records/{collection}/{id}", { ...at(collection, id), body })),
    sandboxes: async () =>
      dataAs<"SandboxList">(await control.GET("/_control/v1/sandboxes")).sandboxes.map(({ name }) => name),
    createSandbox: async (name: string) => dataOf(await control.POST("/_control/v1/sandboxes", { body: { name } })),
  };
}
