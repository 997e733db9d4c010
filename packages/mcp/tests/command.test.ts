import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBackend, demo } from "@call-transfer/backend";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import description from "../package.json" with { type: "json" };
import { main } from "../src/cli/main.ts";
import { exitStatus, usage } from "../src/cli/options.ts";
import { aCall } from "./connect.ts";

/** Runs the command in this process, on one end of a pair of transports. */
async function run(args: string[], environment: Record<string, string> = {}) {
  const printed: string[] = [];
  const failed: string[] = [];
  const [one, other] = InMemoryTransport.createLinkedPair();
  const out = (text: string) => printed.push(text);
  const err = (text: string) => failed.push(text);
  const ended = main({ args, environment, out, err, transport: one });
  return { ended, printed, failed, transport: other };
}

describe("the command", () => {
  it.each([
    ["--help", usage],
    ["--version", description.version],
  ])("%s prints and ends", async (option, text) => {
    const { ended, printed } = await run([option]);
    expect(await ended).toBe(exitStatus.success);
    expect(printed).toEqual([text]);
  });

  it("a wrong option ends it with what to do, before anything is served", async () => {
    const { ended, failed, printed } = await run(["--allow-calls"]);
    expect(await ended).toBe(exitStatus.wrongCommandLine);
    expect(failed.join()).toMatch(
      /only works with a real platform.*\nFor all options: npx @call-transfer\/mcp --help$/s,
    );
    expect(printed).toEqual([]);
  });

  it.each([
    [["--base-url", "https://api.example.com"], undefined, "The API key is missing. Set CALL_TRANSFER_API_KEY."],
    [["--base-url", "http://10.0.0.1"], demo.apiKey, "In a private network, set --allow-insecure-http."],
    [["--mock-url", "localhost"], undefined, "--mock-url must be a URL. Write it as http://127.0.0.1:4010."],
  ])("an error of %j with the key %s uses the words of the command", async (args, key, message) => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", key);
    const { ended, failed } = await run(args);
    expect(await ended).toBe(exitStatus.wrongCommandLine);
    expect(failed.join()).toContain(message);
    expect(failed.join()).not.toContain(demo.apiKey);
  });

  it("a platform gets its permissions and a file for secrets that only the owner can read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "secrets.txt");
    vi.stubEnv("CALL_TRANSFER_API_KEY", demo.apiKey);
    vi.stubGlobal("fetch", createBackend().fetch);
    const args = ["--base-url", "https://api.example.com", "--allow-changes", "--secret-file", file];
    const { ended, transport, failed } = await run(args);
    await expect.poll(() => failed).toHaveLength(1);
    const client = new Client({ name: "tests", version: "1.0.0" });
    await client.connect(transport);
    const given = { name: "rotate_destination_secret", arguments: { id: demo.destinations.app } };
    const { structuredContent } = await client.callTool(given);
    const [, hint] = /"signingSecretHint":"(.*?)"/.exec(JSON.stringify(structuredContent)) ?? [];
    expect(readFileSync(file, "utf8")).toMatch(
      new RegExp(`rotateDestinationSecret ${demo.destinations.app} \\S+${hint}\\n$`),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await client.close();
    expect(await ended).toBe(exitStatus.success);
  });

  it("a file for secrets that cannot be written ends it", async () => {
    const { ended, failed } = await run(["--base-url", "https://api.example.com", "--secret-file", tmpdir()]);
    expect(await ended).toBe(exitStatus.wrongCommandLine);
    expect(failed.join()).toContain("--secret-file cannot be written");
  });

  it.each([
    ["legacy", "2025-11-25"],
    ["auto", "2026-07-28"],
  ] as const)(
    "as a process, it serves an official client until it is closed: %s, protocol %s",
    async (mode, version) => {
      const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
      const args = ["--conditions=@call-transfer/source", cli];
      const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
      const errors: string[] = [];
      transport.stderr?.on("data", (text) => errors.push(String(text)));
      const client = new Client({ name: "tests", version: "1.0.0" }, { versionNegotiation: { mode } });
      // A limit for what hangs, as of every test. By default, the client gives a busy machine a minute.
      const limit = { timeout: 300_000 };
      const closed = new Promise<void>((resolve) => {
        client.onclose = resolve;
      });
      await client.connect(transport, limit);
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()).toMatchObject({ name: "call-transfer", version: description.version });
      await client.callTool({ name: "mock_update_clock", arguments: { mode: "running" } }, limit);
      const { structuredContent } = await client.callTool({ name: "create_call", arguments: aCall }, limit);
      expect(structuredContent).toMatchObject({ type: "initiated" });
      await client.close();
      await closed;
      expect(errors.join("")).toMatch(/^The tools act on a mock of the platform in this process\./);
    },
  );
});
