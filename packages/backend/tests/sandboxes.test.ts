import { describe, expect, it } from "vitest";
import { demo } from "../src/data/demo-seed.ts";
import { createSandboxRegistry, type SandboxRegistry, type SandboxRegistryOptions } from "../src/sandboxes.ts";

const headers = { authorization: `Bearer ${demo.apiKey}` };
async function ask(sandboxes: SandboxRegistry, path: string, more: Record<string, string> = {}) {
  const response = await sandboxes.fetch(`http://mock.test${path}`, { headers: { ...headers, ...more } });
  return { status: response.status, body: await response.json() };
}

describe("a request is handled in the sandbox", () => {
  it.each<[string, string, Record<string, string>, string]>([
    ["of the path", "/_sandbox/one/api/v1/roles", {}, "one"],
    ["of the header", "/api/v1/roles", { "x-sandbox": "one" }, "one"],
    ["of both", "/_sandbox/one/api/v1/roles", { "x-sandbox": "one" }, "one"],
    ["default, without path or header", "/api/v1/roles", {}, "default"],
  ])("%s", async (_, path, named, name) => {
    const sandboxes = createSandboxRegistry();
    sandboxes.create("one");
    expect((await ask(sandboxes, path, named)).status).toBe(200);
    const counts = sandboxes.list().map((each) => [each, sandboxes.get(each)?.requests.list().length]);
    expect(counts.filter(([, count]) => count === 1)).toEqual([[name, 1]]);
    expect(sandboxes.get(name)?.requests.list()).toMatchObject([{ path: "/api/v1/roles" }]);
  });

  it("of the path, also for the control plane", async () => {
    const sandboxes = createSandboxRegistry();
    sandboxes.create("one", { now: "2030-01-01T00:00:00Z" });
    const { body } = await ask(sandboxes, "/_sandbox/one/_control/v1/clock");
    expect(body).toMatchObject({ now: "2030-01-01T00:00:00.000Z" });
  });
});

describe("a request that selects", () => {
  it("two different sandboxes is rejected in the error format of its path", async () => {
    const sandboxes = createSandboxRegistry();
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

  it("an unknown sandbox gets 404 with a hint", async () => {
    const sandboxes = createSandboxRegistry();
    const answer = await ask(sandboxes, "/_sandbox/one/api/v1/roles");
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(answer.body.detail).toContain("call-transfer-mock sandbox create one");
    expect(sandboxes.list()).toEqual(["default"]);
  });

  it("an unknown sandbox creates it with autoSandboxes, if the name is valid", async () => {
    const sandboxes = createSandboxRegistry({ autoSandboxes: true });
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(200);
    expect((await ask(sandboxes, "/_sandbox/O%20ne/api/v1/roles")).status).toBe(404);
    expect(sandboxes.list()).toEqual(["default", "one"]);
  });
});

describe("sandboxes", () => {
  it("share only their options", async () => {
    const sandboxes = createSandboxRegistry({ policies: { dailyCallLimit: 5 } });
    const one = sandboxes.create("one", { policies: { callDurationSecs: 7 } });
    expect(one.policies).toMatchObject({ dailyCallLimit: 5, callDurationSecs: 7 });
    await one.clock.advance({ by: 1000 });
    one.state.accounts.clear();
    expect(sandboxes.default.clock.iso()).toBe("2026-03-02T12:00:00.000Z");
    expect(sandboxes.default.state.accounts.size).toBeGreaterThan(0);
  });

  it("reject invalid options and name them", () => {
    expect(() => createSandboxRegistry({ autoSandboxes: 1 as never })).toThrow("autoSandboxes: ");
  });

  it("reject a name that is taken or invalid", () => {
    const sandboxes = createSandboxRegistry();
    expect(() => sandboxes.create("default")).toThrow('name: sandbox "default" already exists');
    expect(() => sandboxes.create("../x")).toThrow("name: ");
    expect(() => sandboxes.create("Check Out")).toThrow("not starting with a hyphen. Use check-out, for example.");
    expect(() => sandboxes.create("Übung!")).toThrow("Use bung, for example.");
    expect(() => sandboxes.create("!")).toThrow(/starting with a hyphen\.$/);
  });

  it.each([
    [
      "Check_Out",
      'There is no sandbox "Check_Out": a name must be 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen. Use check-out, for example.',
    ],
    [
      "chekout",
      'There is no sandbox "chekout". Did you mean checkout? Create it with: call-transfer-mock sandbox create chekout (operation createSandbox).',
    ],
    [
      "other",
      'There is no sandbox "other". Create it with: call-transfer-mock sandbox create other (operation createSandbox).',
    ],
  ])("say how to correct the name %s", async (name, detail) => {
    const sandboxes = createSandboxRegistry({ autoSandboxes: name === "Check_Out" });
    sandboxes.create("checkout");
    const response = await sandboxes.fetch(`http://mock.test/_sandbox/${name}/api/v1/roles`);
    expect(await response.json()).toMatchObject({ code: "not_found", detail });
  });

  it.each([false, true])(
    "are created and deleted under their own names, with autoSandboxes: %s",
    async (autoSandboxes) => {
      const sandboxes = createSandboxRegistry({ autoSandboxes });
      const send = async (method: string, path: string, more: RequestInit = {}) => {
        const response = await sandboxes.fetch(`http://mock.test${path}`, { method, ...more });
        return { status: response.status, text: await response.text() };
      };
      const named = { "Content-Type": "application/json", "X-Sandbox": "one" };
      const body = JSON.stringify({ name: "one", policies: { dailyCallLimit: 7 } });
      const created = await send("POST", "/_control/v1/sandboxes", { headers: named, body });
      expect([created.status, JSON.parse(created.text)]).toEqual([201, { name: "one", path: "/_sandbox/one" }]);
      expect(sandboxes.get("one")?.policies.dailyCallLimit).toBe(7);
      const listed = await send("GET", "/_sandbox/unknown/_control/v1/sandboxes", { headers: named });
      expect(JSON.parse(listed.text)).toMatchObject({ sandboxes: [{ name: "default" }, { name: "one" }] });
      expect((await send("DELETE", "/_sandbox/one/_control/v1/sandboxes/one")).status).toBe(204);
      expect(sandboxes.list()).toEqual(["default"]);
    },
  );

  it("end the event streams of a deleted sandbox", async () => {
    const sandboxes = createSandboxRegistry();
    sandboxes.create("one");
    const { body } = await sandboxes.fetch("http://mock.test/_sandbox/one/_control/v1/events/stream");
    expect(sandboxes.delete("one")).toBe(true);
    expect(await new Response(body).text()).toBe(": connected\n\n");
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(404);
  });

  it("are followed together: those that are there and those that come, until they go", async () => {
    const sandboxes = createSandboxRegistry();
    const seen: unknown[] = [];
    const stop = sandboxes.follow((sandbox, { type, name }) => seen.push([sandbox, type, name]));
    const one = sandboxes.create("one");
    await ask(sandboxes, "/_sandbox/one/api/v1/roles");
    sandboxes.delete("one");
    one.reset();
    await ask(sandboxes, "/api/v1/roles");
    stop();
    await ask(sandboxes, "/api/v1/roles");
    sandboxes.create("two").reset();
    expect(seen).toEqual([
      ["default", "sandbox.created", "one"],
      ["one", "request.completed", undefined],
      ["default", "sandbox.deleted", "one"],
      ["default", "request.completed", undefined],
    ]);
  });
});

describe("the limit of sandboxes", () => {
  it("is reported with remedies when a request would exceed it", async () => {
    const sandboxes = createSandboxRegistry({ autoSandboxes: true, maxSandboxes: 2 });
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(200);
    const answer = await ask(sandboxes, "/_sandbox/two/api/v1/roles");
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(answer.body.detail).toContain("The limit of 2 sandboxes is reached");
    expect(answer.body.detail).toContain("call-transfer-mock sandbox delete NAME (operation deleteSandbox)");
    expect(answer.body.detail).toContain("--max-sandboxes");
    expect(answer.body.detail).not.toContain("create it");
    const { body } = await ask(sandboxes, "/_sandbox/two/_control/v1/clock");
    expect(body.error.message).toContain("The limit of 2 sandboxes is reached");
    expect((await ask(sandboxes, "/_sandbox/one/api/v1/roles")).status).toBe(200);
    sandboxes.delete("one");
    expect((await ask(sandboxes, "/_sandbox/two/api/v1/roles")).status).toBe(200);
  });

  it("is enforced by create, and is 1000 by default", () => {
    expect(() => createSandboxRegistry({ maxSandboxes: 1 }).create("one")).toThrow(
      "name: the limit of 1 sandbox is reached",
    );
    const sandboxes = createSandboxRegistry({ seed: {} });
    for (let count = 1; count < 1000; count += 1) sandboxes.create(`s${count}`);
    expect(() => sandboxes.create("one")).toThrow("name: the limit of 1000 sandboxes is reached");
  });

  it.each<[SandboxRegistryOptions, string]>([
    [{ maxSandboxes: 0 }, "maxSandboxes: "],
    [{ maxSandboxes: 1.5 }, "maxSandboxes: "],
    [{ maxSandboxes: "5" as never }, "maxSandboxes: "],
  ])("is rejected as %j", (options, message) => {
    expect(() => createSandboxRegistry(options)).toThrow(message);
  });
});
