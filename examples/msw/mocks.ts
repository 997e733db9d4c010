import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { callTransferHandlers, unmockedFetch } from "@call-transfer/mock-server/msw";
import { bypass, http } from "msw";
import { setupWorker } from "msw/browser";

/** Handles the page's API calls inside the page. Await it before the first call. */
export async function startMocks(baseUrl: string) {
  const backend = createBackend({ clock: "flowing", controlPlane: true, fetch: unmockedFetch(bypass) });
  // A placement that is sent to any other address must not ring a phone.
  const refuseOthers = http.post("*/api/v1/calls", () => Response.error());
  const worker = setupWorker(...callTransferHandlers({ http, backend, baseUrl }), refuseOthers);
  await worker.start();
  const accessToken = await backend.keys.issueToken({ userId: demo.users.owner });
  return { backend, credentials: { accessToken, accountId: demo.accountId } };
}
