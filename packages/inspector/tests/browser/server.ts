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
  readonly clockMode?: "frozen" | "running";
  readonly now?: string;
  readonly controlToken?: string;
  readonly publicUrl?: string;
  readonly seed?: Seed;
}

/** A running server, with what a test prepares in its sandbox `default`. */
export interface Server extends ReturnType<typeof sandboxAt> {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

type Collection = "accounts" | "members" | "destinations" | "groups" | "roles";
type StateRecord = Readonly<Record<string, unknown>>;

/** Starts the command and waits until it listens. */
export async function startServer({ seed, ...options }: ServerOptions = {}): Promise<Server> {
  // Outside of the repository, so that no settings of a developer are read.
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-inspector-"));
  if (seed !== undefined) writeFileSync(join(folder, "seed.json"), JSON.stringify(seed));
  const { port = 0, clockMode: clock, now, controlToken, publicUrl } = options;
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
    return { ...sandboxAt(url, controlToken), url: publicUrl ?? url, port: ownPort, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What tests prepare and check in the default sandbox. */
function sandboxAt(url: string, token: string | undefined) {
  const control = createControlClient({ url, sandbox: undefined, token });
  return {
    snapshot: async () => dataAs<"Snapshot">(await control.GET("/_control/v1/snapshot")),
    clock: async () => dataAs<"Clock">(await control.GET("/_control/v1/clock")),
    requests: async () => dataAs<"RequestList">(await control.GET("/_control/v1/requests")).requests,
    faults: async () => dataAs<"FaultList">(await control.GET("/_control/v1/faults")).faults,
    /** Adds a fault and returns its id. */
    addFault: async (text: string) => dataOf(await control.POST("/_control/v1/faults", { body: { text } })).id,
    startTransfer: async (body: Schema<"NewTransfer">) =>
      dataAs<"Transfer">(await control.POST("/_control/v1/transfers", { body })),
    trigger: async (destinationId: string) =>
      dataAs<"Delivery">(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } })),
    deliveries: async () => dataAs<"DeliveryList">(await control.GET("/_control/v1/webhooks/deliveries")).deliveries,
    record: async (collection: Collection, id: string): Promise<StateRecord> => {
      const params = { path: { collection }, query: { id } };
      return dataAs<"RecordList">(await control.GET("/_control/v1/records/{collection}", { params })).records[0] ?? {};
    },
    changeRecord: async (collection: Collection, id: string, body: StateRecord) =>
      dataOf(
        await control.PATCH("/_control/v1/records/{collection}/{id}", { params: { path: { collection, id } }, body }),
      ),
    sandboxes: async () =>
      dataAs<"SandboxList">(await control.GET("/_control/v1/sandboxes")).sandboxes.map(({ name }) => name),
    createSandbox: async (name: string) => dataOf(await control.POST("/_control/v1/sandboxes", { body: { name } })),
  };
}
