import { demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { limits } from "@call-transfer/spec";
import { afterEach, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

let server: MockServer;
afterEach(() => server.close());

const { app } = demo.destinations;

async function start(options: Parameters<typeof startMockServer>[0] = {}) {
  server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z", ...options });
  return server;
}

describe("credentials rotate", () => {
  it("prints the new secret, with which offers are signed beside the previous one", async () => {
    const { url, backend } = await start({ fetch: async () => new Response() });
    const { status, stdout, stderr } = await runLine(url, "credentials", "rotate");
    const { signingSecret, previousSecret } = backend.state.destinations.get(app) ?? {};
    expect([status, stderr]).toEqual([0, ""]);
    expect(signingSecret).not.toBe(demo.signingSecret);
    expect(previousSecret).toBe(demo.signingSecret);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["id", app],
      ["name", "Front desk app"],
      ["signingSecret", signingSecret],
      [
        "previous one ends",
        new Date(Date.parse("2026-03-02T12:00:00Z") + limits.previousSecretOverlapHours * 3_600_000).toISOString(),
      ],
    ]);
    const { signature } = await backend.deliveries.trigger({ destinationId: app });
    expect(signature?.v1.map(({ secret }) => secret)).toEqual(["current", "previous"]);
  });

  it.each(["front", "Front desk app", app])("finds the destination %j, and prints JSON for programs", async (name) => {
    const { url, backend } = await start();
    const { stdout } = await runLine(url, "credentials", "rotate", name, "--json");
    const { signingSecret } = backend.state.destinations.get(app) ?? {};
    expect(JSON.parse(stdout)).toMatchObject({ id: app, signingSecret });
  });

  it("acts in the sandbox that it is given", async () => {
    const { url, backend, sandboxes } = await start();
    const other = sandboxes.create("other");
    await runLine(url, "credentials", "rotate", "--sandbox", "other");
    const secretIn = (one: typeof backend) => one.state.destinations.get(app)?.signingSecret;
    expect(secretIn(backend)).toBe(demo.signingSecret);
    expect(secretIn(other)).not.toBe(demo.signingSecret);
  });

  it("works with a control token, and in an account without an owner", async () => {
    const members = demoSeed.members?.filter(({ role }) => role !== "owner") ?? [];
    const {
      url,
      controlToken = "",
      backend,
    } = await start({
      controlToken: "0123456789abcdef",
      seed: { ...demoSeed, members },
    });
    await runLine(url, "credentials", "rotate", "--control-token", controlToken);
    expect(backend.state.destinations.get(app)?.previousSecret).toBe(demo.signingSecret);
  });

  it("says why the API refuses, and what is missing", async () => {
    const { url } = await start({ policies: { secondRotation: "reject" } });
    await runLine(url, "credentials", "rotate");
    await expect(runLine(url, "credentials", "rotate")).rejects.toThrow("another rotation would end it");
    await expect(runLine(url, "credentials", "rotate", "nobody")).rejects.toThrow(
      'There is no app "nobody". Known: Front desk app',
    );
    await expect(runLine(url, "credentials", "rotate", "a", "b")).rejects.toThrow('Unexpected argument "b".');
    await server.close();
    const { url: empty } = await start({ seed: {} });
    await expect(runLine(empty, "credentials", "rotate")).rejects.toThrow(
      "The sandbox has no app destination. Add one to the seed.",
    );
    await server.close();
    const { accounts, destinations = [] } = demoSeed;
    const { url: alone } = await start({ seed: { accounts: accounts ?? [], destinations } });
    await expect(runLine(alone, "credentials", "rotate")).rejects.toThrow(
      "no member of the account has the role owner",
    );
  });
});
