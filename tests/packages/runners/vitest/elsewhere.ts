// Tests of a page's requests to the fixture's server, under the environment that a file names, and under the default fake timers.
import { type CallTransferFixtures, callTransferFixtures } from "@call-transfer/mock-server/vitest";
import { afterEach, test as base, expect, vi } from "vitest";

const test = base.extend<CallTransferFixtures>(callTransferFixtures);

export function describeElsewhere(name: string): void {
  afterEach(() => void vi.useRealTimers());

  test(`${name}: a page's request is answered`, async ({ callTransfer: { baseUrl, apiKey, requests } }) => {
    const response = await fetch(`${baseUrl}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(response.status).toBe(200);
    expect(requests.list()).toMatchObject([{ path: "/api/v1/roles", status: 200 }]);
  });

  test.skipIf(globalThis.XMLHttpRequest === undefined)(
    `${name}: a request with a preflight is answered, as axios sends it`,
    async ({ callTransfer: { baseUrl, apiKey } }) => {
      const request = new XMLHttpRequest();
      request.open("GET", `${baseUrl}/api/v1/roles`);
      request.setRequestHeader("Authorization", `Bearer ${apiKey}`);
      const ended = new Promise((resolve) => request.addEventListener("loadend", resolve));
      request.send();
      await ended;
      expect(request.status).toBe(200);
    },
  );

  test(`${name}: requests go on under fake timers`, async ({ callTransfer: { baseUrl, apiKey, clock } }) => {
    vi.useFakeTimers();
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const status of [200, 200]) expect((await fetch(`${baseUrl}/api/v1/roles`, { headers })).status).toBe(status);
    await clock.advance({ by: 60_000 });
  });

  test(`${name}: and after them`, async ({ callTransfer: { baseUrl, apiKey } }) => {
    const response = await fetch(`${baseUrl}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(response.status).toBe(200);
  });
}
