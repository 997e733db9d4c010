import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { callTransferHandlers, type MswHttp } from "@call-transfer/backend/msw";
import { http } from "msw";
import { setupServer } from "msw/node";
import { mockedBackends } from "./in-process.ts";
import { type TargetRunner, withSharedSetup } from "./runner.ts";

/** The global fetch of this process, mocked by MSW. */
export const msw: TargetRunner = withSharedSetup("msw", async () => {
  const { given, open } = mockedBackends("msw");
  const server = setupServer(...callTransferHandlers({ http, ...given }));
  server.listen({ onUnhandledFrame: "error" });
  return { open, stop: async () => server.close() };
});

/** What this target uses of MSW 2, which only tests/tools installs. */
interface PreviousMsw {
  readonly http: MswHttp<unknown>;
  setupServer(...handlers: readonly unknown[]): {
    listen(options: { onUnhandledRequest: "error" }): void;
    close(): void;
  };
}

async function importPrevious(): Promise<PreviousMsw> {
  const { resolve } = createRequire(new URL("../../../tests/tools/package.json", import.meta.url));
  try {
    const [core, node] = ["msw-2", "msw-2/node"].map((name) => import(pathToFileURL(resolve(name)).href));
    return { ...(await core), ...(await node) };
  } catch (error) {
    throw new Error("MSW 2 is missing. Run node scripts/commands/prepare.ts tools.", { cause: error });
  }
}

/** The same with MSW 2. */
export const msw2: TargetRunner = withSharedSetup("msw-2", async () => {
  const { http: http2, setupServer: setupServer2 } = await importPrevious();
  const { given, open } = mockedBackends("msw-2");
  const server = setupServer2(...callTransferHandlers({ http: http2, ...given }));
  server.listen({ onUnhandledRequest: "error" });
  return { open, stop: async () => server.close() };
});
