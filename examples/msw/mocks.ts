import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { bypassFetch, callTransferHandlers } from "@call-transfer/mock-server/msw";
import { bypass, http } from "msw";
import { setupWorker } from "msw/browser";

/** Handles the page's API calls inside the page. Await it before the first call. */
export async function startMocks(baseUrl: string) {
  const backend = createBackend({ clockMode: "running", controlPlane: true, fetch: bypassFetch(bypass) });
  // A placement that is sent to any other address must not ring a phone.
  const refuseOthers = http.post("*/api/v1/calls", () => Response.error());
  const worker = setupWorker(...callTransferHandlers({ http, backend, baseUrl }), refuseOthers);
  await worker.start();
  const accessToken = await backend.credentials.createAccessToken({ userId: demo.users.owner });
  return { backend, credentials: { accessToken, accountId: demo.accountId } };
}
