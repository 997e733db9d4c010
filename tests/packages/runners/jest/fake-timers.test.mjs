import { startMockServer } from "@call-transfer/mock-server";
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { jest } from "@jest/globals";

const headers = { authorization: `Bearer ${demo.apiKey}` };
let server;
beforeAll(async () => {
  server = await startMockServer({ port: 0 });
});
afterAll(() => server.close());
afterEach(() => void jest.useRealTimers());

test("a backend answers under fake timers", async () => {
  jest.useFakeTimers();
  const backend = createBackend();
  expect((await backend.fetch("http://mock.test/api/v1/roles", { headers })).status).toBe(200);
  await backend.clock.advance({ by: 60_000 });
});

test("a server answers under fake timers", async () => {
  jest.useFakeTimers();
  expect((await fetch(`${server.url}/api/v1/roles`, { headers })).status).toBe(200);
});

test("a server answers after fake timers", async () => {
  expect((await fetch(`${server.url}/api/v1/roles`, { headers })).status).toBe(200);
});
