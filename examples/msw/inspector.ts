import { mountInspector } from "@call-transfer/mock-server/inspector";
import { startMocks } from "./mocks.js";

/** Starts the mocked platform, and shows what it does beside the app. */
export async function startWithInspector(baseUrl: string, element: Element) {
  const { backend, credentials } = await startMocks(baseUrl);
  const { unmount } = mountInspector(element, backend, { baseUrl });
  return { backend, credentials, unmount };
}
