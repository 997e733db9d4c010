import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { banner } from "../../src/cli/ready.ts";
import { startMockServer } from "../../src/index.ts";
import { issueCredentials, urlsForOthers } from "../../src/server/credentials.ts";

const run = promisify(execFile);

/** Starts a server, and returns what it would print. */
async function started(host?: string) {
  const server = await startMockServer({ port: 0, ...(host !== undefined && { host }) });
  const ready = await issueCredentials(server, 3600);
  return { server, ready, lines: banner(ready, false).split("\n") };
}

/** The command after a label, or in the indented lines below it. */
function commandAfter(label: string, lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.startsWith(label));
  const below = lines.slice(start + 1);
  const end = below.findIndex((line) => !line.startsWith("  "));
  return [lines[start]?.slice(label.length), ...below.slice(0, end)].join("\n");
}

it.each([undefined, "0.0.0.0"])("prints commands that work when they are pasted, bound to %s", async (host) => {
  const { server, lines } = await started(host);
  const paste = async (label: string) => (await run("sh", ["-c", commandAfter(label, lines)])).stdout;
  try {
    const { callId } = JSON.parse(await paste("Place a call"));
    expect(server.backend.state.calls.get(callId)).toMatchObject({ accountId: demo.accountId });
  } finally {
    await server.close();
  }
});

it("has the ids of a first request in its JSON", async () => {
  const { server, ready } = await started();
  await server.close();
  expect(ready.ids).toEqual({
    destinationId: demo.destinations.app,
    groupId: demo.groups.existing,
    memberId: demo.members.owner,
    flowId: demo.flows.published,
    fromNumber: demo.numbers.working,
  });
});

it("is the address, the inspector, the API key, a call to place, and the help", async () => {
  const { server, ready } = await started();
  await server.close();
  const lines = banner({ ...ready, url: "http://127.0.0.1:4010" }, false).split("\n");
  expect(lines).toEqual([
    "Mock server listening on http://127.0.0.1:4010",
    "Inspector       http://127.0.0.1:4010/_inspector",
    `API key         ${demo.apiKey}`,
    "",
    "Place a call",
    expect.stringContaining("  curl http://127.0.0.1:4010/api/v1/calls"),
    expect.stringMatching(/^Help: .* --help · Stop: Ctrl-C$/),
  ]);
});

it("names the addresses for other machines only when they can reach the server", () => {
  const addresses = () =>
    [
      { address: "127.0.0.1", family: "IPv4", internal: true },
      { address: "192.168.1.5", family: "IPv4", internal: false },
      { address: "fe80::1", family: "IPv6", internal: false },
    ] as const;
  expect(urlsForOthers("http://0.0.0.0:4010", addresses)).toEqual(["http://192.168.1.5:4010"]);
  expect(urlsForOthers("http://127.0.0.1:4010", addresses)).toEqual([]);
});

it("offers a request that reads when the data has no flow and nobody to ring", async () => {
  const seed = { accounts: [{ id: demo.accountId, name: "Bare" }] };
  const server = await startMockServer({ port: 0, seed });
  const lines = banner(await issueCredentials(server, 3600), false).split("\n");
  await server.close();
  expect(commandAfter("Read the roles", lines)).toContain("/api/v1/roles");
  expect(lines.some((line) => /^(?:Place|Ring)/.test(line))).toBe(false);
});

it("has the control token also when the data has no account", async () => {
  const server = await startMockServer({ port: 0, host: "0.0.0.0", seed: {} });
  const text = banner(await issueCredentials(server, 3600), false);
  await server.close();
  expect(text).toContain(`Control token   ${server.controlToken}`);
});
