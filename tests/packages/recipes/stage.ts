// What a recipe runs against: a sandbox of the mock server behind a relay, which shows when a connection is closed.
import { connect, createServer, type Socket } from "node:net";
import { type Backend, demo } from "@call-transfer/backend";
import type { MockServer } from "@call-transfer/mock-server";
import { listen, within } from "./processes.ts";

// Less than the 60 s after which the SDK gives an attempt up by itself.
const disconnectedWithinMs = 50_000;

/** The platform as one recipe sees it. */
export interface Stage {
  readonly backend: Backend;
  /** The variables that the recipes read. */
  readonly environment: Readonly<Record<string, string>>;
  /** Waits until the recipe has no connection to the platform. */
  disconnected(): Promise<void>;
  close(): void;
}

/** Creates the sandbox of a recipe. */
export async function openStage(server: MockServer, name: string): Promise<Stage> {
  const backend = server.sandboxes.create(name);
  const open = new Set<Socket>();
  const relay = createServer((incoming) => {
    const outgoing = connect(server.port, "127.0.0.1");
    open.add(incoming);
    incoming.on("error", () => outgoing.destroy()).on("close", () => outgoing.destroy());
    incoming.on("close", () => open.delete(incoming) && relay.emit("left"));
    // A reset stays a reset: the recipe must see a lost connection.
    outgoing.on("error", () => incoming.resetAndDestroy()).on("close", () => incoming.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  });
  const address = await listen(relay);
  return {
    backend,
    environment: {
      CALL_TRANSFER_BASE_URL: `${address}/_sandbox/${name}`,
      CALL_TRANSFER_API_KEY: demo.apiKey,
      FLOW_ID: demo.flows.published,
      FROM_NUMBER: demo.numbers.working,
    },
    disconnected: () =>
      within(
        "The recipe kept its request to the platform open after its own client had disconnected.",
        new Promise((resolve) => {
          const check = () => open.size === 0 && resolve();
          relay.on("left", check);
          check();
        }),
        disconnectedWithinMs,
      ),
    close() {
      relay.close();
      for (const socket of open) socket.destroy();
    },
  };
}
