import { writeFile } from "node:fs/promises";
import type { Role } from "@call-transfer/spec";
import type {
  BrowserContext,
  Fixtures,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
} from "@playwright/test";
import { answerRequests } from "./fixtures/page-requests.ts";
import { reportOf } from "./fixtures/report.ts";
import { type CallTransferSandbox, createSandbox, type SandboxOptions, startTestServer } from "./fixtures/sandbox.ts";
import type { MockServer } from "./server/server.ts";

export { demo } from "@call-transfer/backend";
export type { AccountToken, CallTransferSandbox, SandboxOptions, WebhookHandler } from "./fixtures/sandbox.ts";

/** The mock platform of a Playwright test. */
export interface BrowserCallTransfer extends CallTransferSandbox {
  /**
   * Logs the pages of a context in: the test's sandbox answers their requests to the API as a member with this role.
   * `null` answers them with the credentials that the page sends. The test's own context is logged in already.
   */
  logIn(context: BrowserContext, role: Role | null): Promise<void>;
}

/** Options of a test, for `test.use` and for `use` of the configuration: `defineConfig<CallTransferOptions>({ … })`. */
export interface CallTransferOptions {
  /** How the test's sandbox starts. */
  callTransferOptions: SandboxOptions;
  /**
   * Where the app calls the API, without `/api/v1`, e.g. `https://api.example.com`. The test's sandbox answers the pages'
   * requests to it. Requests to the sandbox's own `baseUrl` need no option.
   */
  callTransferBaseUrl: string | undefined;
  /** The role of the test's user, `owner` by default; `null` leaves the pages' requests as they are. */
  callTransferRole: Role | null;
}

/** What the fixtures add to each test. */
export interface CallTransferTestFixtures extends CallTransferOptions {
  /** The test's own sandbox. */
  callTransfer: BrowserCallTransfer;
}

/** What the fixtures add to each worker. */
export interface CallTransferWorkerFixtures {
  /** The server of the worker. */
  callTransferServer: MockServer;
}

/**
 * Fixtures for Playwright: `const test = base.extend(callTransferFixtures)`. A test that takes `callTransfer`, `page` or
 * `context` gets a sandbox of its own, which is removed when the test ends. Pages are logged in. If the test fails, the
 * sandbox's requests and webhooks are printed and attached.
 *
 * The server starts with a worker's first test that needs it and closes with the worker.
 */
export const callTransferFixtures: Fixtures<
  CallTransferTestFixtures,
  CallTransferWorkerFixtures,
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = {
  callTransferOptions: [{}, { option: true }],
  callTransferBaseUrl: [undefined, { option: true }],
  callTransferRole: ["owner", { option: true }],
  callTransferServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from the pattern.
    async ({}, use) => {
      const server = await startTestServer();
      await use(server);
      await server.close();
    },
    { scope: "worker" },
  ],
  async callTransfer({ callTransferServer, callTransferOptions, callTransferBaseUrl }, use, testInfo) {
    const sandbox = createSandbox(callTransferServer, testInfo.title, callTransferOptions);
    const { callTransfer } = sandbox;
    const { backend, baseUrl, createAccessToken } = callTransfer;
    const ending = new AbortController();
    const apiUrls = [baseUrl, ...(callTransferBaseUrl === undefined ? [] : [callTransferBaseUrl])];
    await use({
      ...callTransfer,
      async logIn(context, role) {
        const credentials = role === null ? undefined : await createAccessToken(role);
        await answerRequests(context, { apiUrls, credentials, backend, signal: ending.signal });
      },
    });
    ending.abort();
    sandbox.end();
    if (testInfo.status === testInfo.expectedStatus) return;
    const report = reportOf(sandbox);
    console.error(report);
    const path = testInfo.outputPath("call-transfer.txt");
    await writeFile(path, `${report}\n`);
    await testInfo.attach("call-transfer", { path, contentType: "text/plain" });
  },
  async context({ context, callTransfer, callTransferRole }, use) {
    await callTransfer.logIn(context, callTransferRole);
    await use(context);
    // Requests that wait for a clock or a fault would otherwise fail the test when the context closes.
    await context.unrouteAll({ behavior: "ignoreErrors" });
  },
};
