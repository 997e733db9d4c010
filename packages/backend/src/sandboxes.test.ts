import { describe, expect, it } from "vitest";
import { demo } from "./demo-seed.ts";
import { createSandboxes, type Sandboxes } from "./sandboxes.ts";

const headers = { authorization: `Bearer ${demo.apiKey}` };
async function ask(sandboxes: Sandboxes, path: string, more: Record<string, string> = {}) {
  const response = await sandboxes.fetch(`http://mock.test${path}`, { headers: { ...headers, ...more } });
  return { status: response.status, body: await response.json() };
}

describe("a request goes to the sandbox", () => {
  it.each<[string, string, Record<string, string>, string]>([
    ["of the path", "/_sandbox/one/api/v1/roles", {}, "one"],
    ["of the header", "/api/v1/roles", { "x-sandbox": "one" }, "one"],
    ["that both name", "/_sandbox/one/api/v1/roles", { "x-sandbox": "one" }, "one"],
    ["default, when nothing names one", "/api/v1/roles", {}, "default"],
  ])("%s", async (_, path, named, name) => {
    const sandboxes = createSandboxes();
    sandboxes.create("one");
    expect((await ask(sandboxes, path, named)).status).toBe(200);
    const counts = sandboxes.list().map((each) => [each, sandboxes.get(each)?.journal.list().length]);
    expect(counts.filter(([, count]) => count === 1)).toEqual([[name, 1]]);
    expect(sandboxes.get(name)?.journal.list()).toMatchObject([{ path: "/api/v1/roles" }]);
  });

  it("of the path also on the control plane", async () => {
    const sandboxes = createSandboxes();
    sandboxes.create("one", { now: "2030-01-01T00:00:00Z" });
    const { body } = await ask(sandboxes, "/_sandbox/one/_control/v1/clock");
    expect(body).toMatchObject({ now: "2030-01-01T00:00:00.000Z" });
  });
});

describe("a request that names", () => {
  it("two different sandboxes is refused in the shape of its path", async () => {
    const sandboxes = createSandboxes();
    const named = { "x-sandbox": "two" };
    expect(await ask(sandboxes, "/_sandbox/one/api/v1/roles", named)).toMatchObject({
      status: 400,
      body: { code: "bad_request", requestId: expect.any(String) },
    });
    expect(await ask(sandboxes, "/_sandbox/one/_control/v1/clock", named)).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request" } },
    });
  });

  it("an unknown sandbox gets 404 with a hint, and creates none", async () => {
    const sandboxes = createSandboxes();
    const answer = await ask(sandboxes, "/_sandbox/one/api/v1/roles");
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(answer.body.detail).toContain("POST /_control/v1/sandboxes");
    expect(sandboxes.list()).toEqual(["default"]);
  });

  it("an unknown sandbox creates it where that is wanted, under a proper name only", async () => {
    const sandboxes = createSandboxes({ autoSandboxes: true });
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(200);
    expect((await ask(sandboxes, "/_sandbox/O%20ne/api/v1/roles")).status).toBe(404);
    expect(sandboxes.list()).toEqual(["default", "one"]);
  });
});

describe("sandboxes", () => {
  it("share nothing but the options that they were created with", async () => {
    const sandboxes = createSandboxes({ policies: { dailyCallLimit: 5 } });
    const one = sandboxes.create("one", { policies: { callDurationSecs: 7 } });
    expect(one.policies).toMatchObject({ dailyCallLimit: 5, callDurationSecs: 7 });
    await one.clock.advance({ by: 1000 });
    one.state.accounts.clear();
    expect(sandboxes.default.clock.iso()).toBe("2026-03-02T12:00:00.000Z");
    expect(sandboxes.default.state.accounts.size).toBeGreaterThan(0);
  });

  it("have demo data of their own time", async () => {
    const sandboxes = createSandboxes();
    sandboxes.create("later", { now: "2030-01-01T00:00:00Z" });
    const until = (name: string) => sandboxes.get(name)?.state.members.get(demo.members.member)?.availability.until;
    expect([until("default"), until("later")]).toEqual(["2026-03-02T13:00:00Z", "2030-01-01T01:00:00Z"]);
  });

  it("refuse options that are none, naming the one at fault", () => {
    expect(() => createSandboxes({ autoSandboxes: 1 as never })).toThrow("autoSandboxes: ");
  });

  it("refuse a name that is taken or none", () => {
    const sandboxes = createSandboxes();
    expect(() => sandboxes.create("default")).toThrow("name: there is a sandbox default already");
    expect(() => sandboxes.create("../x")).toThrow("name: ");
  });

  it("end the streams of one that is deleted", async () => {
    const sandboxes = createSandboxes();
    sandboxes.create("one");
    const { body } = await sandboxes.fetch("http://mock.test/_sandbox/one/_control/v1/events");
    expect(sandboxes.delete("one")).toBe(true);
    expect(await new Response(body).text()).toBe(": connected\n\n");
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(404);
  });

  it("play transport faults as a fetch function does", async () => {
    const sandboxes = createSandboxes();
    sandboxes.default.faults.add({ do: "reset" });
    await expect(ask(sandboxes, "/api/v1/roles")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  });
});
