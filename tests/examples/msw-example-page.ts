// The page of docs/mock-server-msw.md. The mocked platform has the same origin as the page.
import { CallTransfer } from "@call-transfer/sdk";
import { startMocks } from "../../examples/msw/mocks.ts";

const baseUrl = location.origin;
const { credentials } = await startMocks(baseUrl);
const client = new CallTransfer({ baseUrl, ...credentials });

const page = {
  accountNames: async () => (await client.accounts.list()).accounts.map(({ name }) => name),
  controlStatus: async () => (await fetch("/_control/v1/health")).status,
  ownFile: async () => (await fetch("/")).headers.get("content-type"),
};
export type ExamplePage = typeof page;

Object.assign(globalThis, { page });
