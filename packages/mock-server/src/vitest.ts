import { reportOf } from "./fixtures/report.ts";
import { type CallTransferSandbox, createSandbox, type SandboxOptions, startTestServer } from "./fixtures/sandbox.ts";
import type { MockServer } from "./server/server.ts";

export { demo } from "@call-transfer/backend";
export type { AccountToken, CallTransferSandbox, SandboxOptions, WebhookHandler } from "./fixtures/sandbox.ts";

/** What the fixtures add to a test's context. */
export interface CallTransferFixtures {
  /** The options of the test's sandbox; set them with `test.override`. */
  callTransferOptions: SandboxOptions;
  /** The server of the test file. */
  callTransferServer: MockServer;
  /** The test's own sandbox. */
  callTransfer: CallTransferSandbox;
}

/** The part of Vitest's test context that the fixtures use. */
interface TestParts {
  readonly task: { readonly name: string; readonly fails?: boolean };
  onTestFailed(handler: () => void): void;
}

type Use<Value> = (value: Value) => Promise<void>;

/**
 * Fixtures for Vitest: `const test = base.extend<CallTransferFixtures>(callTransferFixtures)`. A test that takes `callTransfer` gets a
 * sandbox of its own, which is removed when the test ends. If the test fails, the sandbox's requests and webhooks are printed.
 *
 * The server starts with the first test of a file that needs it and closes with the file's last test.
 */
export const callTransferFixtures: {
  /** The options of each test's sandbox; none by default. */
  callTransferOptions: SandboxOptions;
  /** Starts and closes the server of a test file. */
  callTransferServer: [(context: object, use: Use<MockServer>) => Promise<void>, { scope: "file" }];
  /** Creates and removes the sandbox of a test. */
  callTransfer: (
    context: TestParts & Pick<CallTransferFixtures, "callTransferOptions" | "callTransferServer">,
    use: Use<CallTransferSandbox>,
  ) => Promise<void>;
} = {
  callTransferOptions: {},
  callTransferServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the needed fixtures from the pattern.
    async ({}, use) => {
      const server = await startTestServer();
      await use(server);
      await server.close();
    },
    { scope: "file" },
  ],
  async callTransfer({ callTransferServer, callTransferOptions, task, onTestFailed }, use) {
    const sandbox = createSandbox(callTransferServer, task.name, callTransferOptions);
    onTestFailed(() => {
      if (!task.fails) console.error(reportOf(sandbox));
    });
    await use(sandbox.callTransfer);
    sandbox.end();
  },
};
