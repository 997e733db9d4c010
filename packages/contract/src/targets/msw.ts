import { callTransferHandlers } from "@call-transfer/backend/msw";
import { http } from "msw";
import { setupServer } from "msw/node";
import { http as http2 } from "msw-2";
import { setupServer as setupServer2 } from "msw-2/node";
import { type TargetRunner, withShared } from "../runner.ts";
import type { Target } from "../target.ts";
import { mockedBackends, mockedUrl } from "./msw-backends.ts";

/** MSW 3 holds the head of an answer back until its body is whole, so a body that breaks off hides that there was one. */
const hidesHeads: NonNullable<Target["deviates"]> = ({ noun, name }) =>
  noun === "broken answers" && / after (?:truncate|slowBody) .* ends as applied$/.test(name)
    ? "MSW 3 fails the request when its body breaks off, so that the client cannot know that it was carried out"
    : undefined;

/** The global fetch of this process, mocked by MSW. */
export const msw: TargetRunner = withShared("msw", async () => {
  const { backend, open: openWhole } = mockedBackends("msw");
  const open = async () => {
    const { target, close } = await openWhole();
    return { target: { ...target, deviates: hidesHeads }, close };
  };
  const server = setupServer(...callTransferHandlers({ http, backend, baseUrl: mockedUrl }));
  server.listen({ onUnhandledFrame: "error" });
  return { open, stop: async () => server.close() };
});

/** The same by MSW's major version 2. */
export const msw2: TargetRunner = withShared("msw-2", async () => {
  const { backend, open } = mockedBackends("msw-2");
  const server = setupServer2(...callTransferHandlers({ http: http2, backend, baseUrl: mockedUrl }));
  server.listen({ onUnhandledRequest: "error" });
  return { open, stop: async () => server.close() };
});
