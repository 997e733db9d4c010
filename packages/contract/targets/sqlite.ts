import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Backend, createSandboxRegistry } from "@call-transfer/backend";
import { openSqliteStores } from "../../mock-server/src/store/sqlite.ts";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { backendTarget, createReceiver } from "./in-process.ts";
import { withSharedSetup } from "./runner.ts";

const name = "sqlite";

/** Backends in SQLite files, which are closed and opened again before each request. */
export const sqlite = withSharedSetup(name, async () => {
  const folder = mkdtempSync(join(memoryFolder(), "call-transfer-contract-"));
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const path = join(folder, `${opened}.db`);
      const { received, fetch } = createReceiver();
      const create = () =>
        createSandboxRegistry({ seed: structuredClone(world), now: start, fetch, stores: openSqliteStores(path) });
      let sandboxes = create();
      const restart = async () => {
        await sandboxes.default.flush();
        sandboxes.close();
        sandboxes = create();
      };
      // The present one, for what a case does without requests.
      const backend = new Proxy({} as Backend, { get: (_, key) => Reflect.get(sandboxes.default, key) });
      return {
        target: backendTarget(name, backend, received, {
          baseUrl: "http://localhost",
          async fetch(input, init) {
            await restart();
            return sandboxes.fetch(input, init, { address: "127.0.0.1" });
          },
        }),
        async close() {
          sandboxes.close();
          rmSync(path);
        },
      };
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
});

/** A folder in memory if there is one: closing a file waits for the disk otherwise, which takes most of the time. */
function memoryFolder(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}
