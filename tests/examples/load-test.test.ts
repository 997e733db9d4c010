import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type MockServerOptions, startMockServer } from "@call-transfer/mock-server";
import { expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../examples/load-test.ts", import.meta.url));
const operations = ["createCall", "createDestinationGroup"] as const;

/** Runs the program for a second, and counts what the server saw of it. */
async function run(options: MockServerOptions) {
  const server = await startMockServer({ port: 0, clockMode: "running", ...options });
  onTestFinished(() => server.close());
  const seen = { createCall: 0, createDestinationGroup: 0 };
  const sandboxes = new Set<string>();
  server.sandboxes.follow((sandbox, { type, operationId, status }) => {
    if (type !== "request.completed") return;
    sandboxes.add(sandbox);
    const name = operations.find((one) => one === operationId);
    if (name !== undefined && Number(status) < 300) seen[name] += 1;
  });
  const words = ["--conditions=@call-transfer/source", program, "--url", server.url];
  const { CALL_TRANSFER_API_KEY: _, ...inherited } = process.env;
  const env = { ...inherited, CALL_TRANSFER_CONTROL_TOKEN: options.controlToken ?? "" };
  const child = spawn(process.execPath, [...words, "--seconds", "1", "--concurrency", "4"], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [status] = await once(child, "close");
  return { status, output, seen, sandboxes: [...sandboxes], left: server.sandboxes.list() };
}

const doneOf = (output: string, name: string): number =>
  Number(new RegExp(`^${name}: (\\d+) done, \\d+/s, 50% [\\d.]+ ms, .*100% [\\d.]+ ms$`, "m").exec(output)?.[1]);

it("lifts the limits of a sandbox of its own, prints what the server did there, and removes it", async () => {
  const controlToken = "0123456789abcdef";
  const policies = {
    rateLimit: { requests: 1, windowSecs: 60 },
    ...{ concurrentCallLimit: 1, callQueueLimit: 0, dailyCallLimit: 1 },
  };
  const { status, output, seen, sandboxes, left } = await run({ controlToken, policies });
  expect(output).toContain("errors: none\nretries: 0\n");
  expect(status).toBe(0);
  expect(Object.fromEntries(operations.map((name) => [name, doneOf(output, name)]))).toEqual(seen);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(1);
  expect(sandboxes).toEqual([expect.stringMatching(/^load-\d+$/)]);
  expect(left).toEqual(["default"]);
});

it("counts errors by code and retries, and fails", async () => {
  const { status, output, seen } = await run({
    faults: [
      // Two of the four that run at once place calls, so two are placed however slow the machine is.
      { match: { operationId: "createCall" }, when: { times: 2 }, do: { code: "conflict" } },
      { match: { operationId: "createDestinationGroup" }, when: { times: 2 }, do: { status: 429 } },
    ],
  });
  expect(output).toContain("errors: 2 conflict\nretries: 2\n");
  expect(status).toBe(1);
  expect(doneOf(output, "createDestinationGroup")).toBe(seen.createDestinationGroup);
});
