// Tests of a page's requests to the fixture's server, under the environment that a file names.
import { type CallTransferFixtures, callTransferFixtures } from "@call-transfer/mock-server/vitest";
import { test as base, expect } from "vitest";

const test = base.extend<CallTransferFixtures>(callTransferFixtures);

export function describeElsewhere(name: string): void {
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
}
