import { startMockServer } from "@call-transfer/mock-server";
import { perCase } from "../runner.ts";
import { start, world } from "../world.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";

/** The mock server on a free port, over real sockets. */
export const http = perCase("http", async () => {
  const { received, fetch } = createReceiver();
  const server = await startMockServer({ port: 0, clock: "frozen", seed: structuredClone(world), now: start, fetch });
  const target = backendTarget("http", server.backend, received, { baseUrl: server.url, fetch: globalThis.fetch });
  return { target, close: () => server.close() };
});
