import { createBackend, demo } from "@call-transfer/backend";
import { callTransferHandlers } from "@call-transfer/backend/msw";
import { startMockServer } from "@call-transfer/mock-server";
import { expect, it } from "vitest";

const origin = "http://localhost:5173";
const headers = { origin, authorization: `Bearer ${demo.apiKey}` };
const exposed = (response: Response | undefined) =>
  response?.headers.get("access-control-expose-headers")?.split(", ").sort();

it("pages of other origins may read the same headers from the mock server and under MSW", async () => {
  const readable = ["Allow", "Date", "Retry-After", "WWW-Authenticate", "X-Request-Id"];
  const server = await startMockServer({ port: 0, corsOrigins: [origin] });
  try {
    expect(exposed(await fetch(`${server.url}/api/v1/roles`, { headers }))).toEqual(readable);
  } finally {
    await server.close();
  }
  const baseUrl = "https://api.example.com";
  const all = (_: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>) => resolver;
  const [respond] = callTransferHandlers({ http: { all }, backend: createBackend(), baseUrl });
  expect(exposed(await respond?.({ request: new Request(`${baseUrl}/api/v1/roles`, { headers }) }))).toEqual(readable);
});
