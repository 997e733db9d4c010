import { startMockServer } from "@call-transfer/mock-server";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";
import { type SharedSetup, withSharedSetup } from "./runner.ts";

/** Starts the mock server on a free port, over real sockets. Each case has its own sandbox. */
export async function openHttp(name: string): Promise<SharedSetup> {
  const server = await startMockServer({ port: 0, clockMode: "frozen", seed: structuredClone(world), now: start });
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const sandbox = `case-${opened}`;
      const { received, fetch } = createReceiver();
      const backend = server.sandboxes.create(sandbox, { fetch });
      const baseUrl = `${server.url}/_sandbox/${sandbox}`;
      return {
        target: backendTarget(name, backend, received, { baseUrl, fetch: globalThis.fetch }),
        close: async () => void server.sandboxes.delete(sandbox),
      };
    },
    stop: () => server.close(),
  };
}

export const http = withSharedSetup("http", () => openHttp("http"));
