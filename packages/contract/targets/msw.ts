import { callTransferHandlers } from "@call-transfer/backend/msw";
import { http } from "msw";
import { setupServer } from "msw/node";
import { http as http2 } from "msw-2";
import { setupServer as setupServer2 } from "msw-2/node";
import { mockedBackends } from "./in-process.ts";
import { type TargetRunner, withSharedSetup } from "./runner.ts";

/** The global fetch of this process, mocked by MSW. */
export const msw: TargetRunner = withSharedSetup("msw", async () => {
  const { given, open } = mockedBackends("msw");
  const server = setupServer(...callTransferHandlers({ http, ...given }));
  server.listen({ onUnhandledFrame: "error" });
  return { open, stop: async () => server.close() };
});

/** The same with MSW 2. */
export const msw2: TargetRunner = withSharedSetup("msw-2", async () => {
  const { given, open } = mockedBackends("msw-2");
  const server = setupServer2(...callTransferHandlers({ http: http2, ...given }));
  server.listen({ onUnhandledRequest: "error" });
  return { open, stop: async () => server.close() };
});
