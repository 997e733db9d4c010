import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { finish } from "../cli/run-line.ts";
import { plantedBugs, secrets } from "./planted-bugs.ts";
import { type Steps, startReceiver } from "./receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-attack-"));
const close: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  await Promise.all(close.splice(0).map((one) => one()));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command and returns its exit status and output. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return finish("attack", ...args);
}

/** Starts a receiver, and a page with its counts. */
async function start(steps: Partial<Steps> = { secrets: Object.values(secrets) }) {
  const receiver = await startReceiver(steps);
  const page = createServer((request, response) => {
    const isFound = request.url === "/handled";
    response.writeHead(isFound ? 200 : 404).end(JSON.stringify(Object.fromEntries(receiver.handled())));
  }).listen(0, "127.0.0.1");
  await once(page, "listening");
  close.push(receiver.close, () => page.close().closeAllConnections());
  return { url: receiver.url, pageUrl: `http://127.0.0.1:${(page.address() as AddressInfo).port}` };
}

const fromEnvironment = {
  CALL_TRANSFER_SIGNING_SECRET: secrets.secret,
  CALL_TRANSFER_PREVIOUS_SIGNING_SECRET: secrets.previousSecret,
};

describe("the attack command", () => {
  it("prints a report and exits with 0 when the receiver passes every check", async () => {
    const { url, pageUrl } = await start();
    const { status, stdout, stderr } = await run([url, "--handled-url", `${pageUrl}/handled`], fromEnvironment);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`Attacked ${url}: no findings\n`);
    expect(stdout).not.toContain("Not checked");
  });

  it("exits with 1 when there are findings, and prints them as one line with --json", async () => {
    const { url, pageUrl } = await start(plantedBugs["does not recognize copies"]?.steps);
    const args = [url, "--secret", secrets.secret, "--handled-url", `${pageUrl}/handled`, "--json"];
    const { status, stdout } = await run(args);
    expect(status).toBe(1);
    expect(stdout.trimEnd()).not.toContain("\n");
    const { findings } = JSON.parse(stdout);
    expect(findings).toContainEqual(expect.objectContaining({ title: "Copies are not recognized" }));
  });

  it("sends the fields of --payload", async () => {
    const path = join(folder, "payload.json");
    writeFileSync(path, JSON.stringify({ id: "ignored", destinationId: "chosen" }));
    const seen: unknown[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      seen.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(400).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    close.push(() => server.close().closeAllConnections());
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    await run([url, "--payload", path], fromEnvironment);
    expect(seen[0]).toMatchObject({
      type: "transfer.offer",
      destinationId: "chosen",
      id: expect.stringMatching(/^.{36}$/),
    });
  });

  it("says where no receiver answers", async () => {
    const { stderr, status } = await run(["http://127.0.0.1:1/offers"], fromEnvironment);
    expect({ stderr, status }).toEqual({
      stderr: expect.stringMatching(/^error: No receiver answers at http:\/\/127\.0\.0\.1:1\/offers: .* Start it, or/),
      status: 1,
    });
    expect(await run(["http://example.com/offers"], fromEnvironment)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "http://example.com/offers is not on this machine. If the receiver is yours, set",
      ),
    });
  });

  it("says what a page without counts must answer", async () => {
    const { url, pageUrl } = await start();
    const { stderr, status } = await run([url, "--handled-url", `${pageUrl}/nothing`], fromEnvironment);
    expect(stderr).toBe(
      `error: --handled-url ${pageUrl}/nothing: got status 404 without the counts. Answer with JSON such as { "<event id>": 1 }.\n`,
    );
    expect(status).toBe(1);
  });

  it.each([
    [["http://127.0.0.1:9/"], "Missing the signing secret. Set CALL_TRANSFER_SIGNING_SECRET, or use --secret."],
    [["offers", "--secret", "x"], "attack offers: must be an http or https URL"],
  ])("%j is a wrong command line", async (args, message) => {
    const { status, stderr } = await run(args, { CALL_TRANSFER_SIGNING_SECRET: "" });
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
