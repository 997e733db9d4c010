import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { operations } from "@call-transfer/spec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { assumptions } from "../../src/remote/assumptions.ts";
import { main } from "../../src/remote/main.ts";

let server: MockServer;
let folder: string;
beforeEach(async () => {
  server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z" });
  folder = mkdtempSync(join(tmpdir(), "contract-"));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command as a shell would, with the demo key unless other arguments are the matter. */
async function run(
  args: readonly string[],
  environment: Record<string, string> = { CALL_TRANSFER_API_KEY: demo.apiKey },
) {
  const printed = { out: "", err: "" };
  const status = await main({
    args,
    environment,
    out: (text) => {
      printed.out += `${text}\n`;
    },
    err: (text) => {
      printed.err += `${text}\n`;
    },
  });
  return { status, ...printed };
}

const requests = () => server.backend.requests.list();

describe("a server that keeps the contract", () => {
  it("passes with GET requests only", async () => {
    const { status, out } = await run(["--base-url", server.url, "--member-id", demo.members.owner]);
    expect(out).toContain("0 differ");
    expect(out).toMatch(/^\d+ passed, 0 failed$/m);
    expect(new Set(requests().map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(status).toBe(0);
  });

  it("gets the same report with stubs beside the operations", async () => {
    // The tables alone: one line says how long it took.
    const report = async () =>
      (await run(["--base-url", server.url, "--member-id", demo.members.owner])).out.replaceAll(/[\d.]+ m?s\b/g, "");
    const plain = await report();
    server.backend.stubs.add({ method: "GET", path: "/api/v1/contacts/{id}", response: { body: "hello" } });
    server.backend.stubs.add({ method: "GET", path: "/api/v1/calls/{id}", response: { body: { calls: 1 } } });
    expect(await report()).toBe(plain);
    expect(server.backend.stubs.list().map(({ hits }) => hits)).toEqual([0, 0]);
  });

  it("is also checked with an access token", async () => {
    const accessToken = await server.backend.credentials.createAccessToken({ userId: demo.users.owner });
    const args = ["--base-url", server.url, "--access-token", accessToken, "--account-id", demo.accountId];
    const { status, out } = await run(args, {});
    expect(out).toMatch(/A-10 +held/);
    expect([status, out.includes(accessToken)]).toEqual([0, false]);
  });

  it("is changed only as allowed, and each change is announced", async () => {
    const secretFile = join(folder, "secret");
    const { status, out, err } = await run([
      ...["--base-url", server.url, "--allow-changes", "--rotate-destination-id", demo.destinations.app],
      ...["--secret-file", secretFile, "--group-destination-id", demo.destinations.phone],
      ...["--group-destination-id", demo.destinations.app, "--clear-hours-member-id", demo.members.agent],
    ]);
    const secret = readFileSync(secretFile, "utf8").trim();
    expect(server.backend.state.destinations.get(demo.destinations.app)?.signingSecret).toBe(secret);
    expect(statSync(secretFile).mode & 0o077).toBe(0);
    expect(out.includes(secret)).toBe(false);
    expect(err.split("\n").filter((line) => /^(Rotating|Creating|Trying|Removing) /.test(line))).toHaveLength(5);
    const groups = [...server.backend.state.groups.values()].filter(({ name }) => name.startsWith("Contract check"));
    const members = [demo.destinations.phone, demo.destinations.app];
    expect(groups.map((one) => one.members.map(({ destinationId }) => destinationId))).toEqual([members, members]);
    for (const id of ["A-1", "A-12", "A-22", "A-23", "A-26"]) expect(out).toMatch(new RegExp(`${id} +held`));
    expect(status, out).toBe(0);
    expect(requests().some(({ operationId }) => operationId === "createCall")).toBe(false);
  });

  it("gets one call with --allow-calls", async () => {
    const before = server.backend.state.calls.size;
    const { flows, numbers, recipients } = demo;
    const { err, out } = await run([
      ...["--base-url", server.url, "--allow-calls", "--flow-id", flows.published],
      ...["--from-number", numbers.working, "--to-number", recipients.anyone],
    ]);
    expect(err).toContain(`Placing one call from ${numbers.working} to ${recipients.anyone}`);
    expect(out).toMatch(/A-39 +held/);
    expect(server.backend.state.calls.size - before).toBe(1);
  });

  it("is reported as JSON with --json", async () => {
    const { out } = await run(["--base-url", server.url, "--json"]);
    const { cases, assumptions: verdicts } = JSON.parse(out) as {
      cases: { failure?: string }[];
      assumptions: object[];
    };
    expect(cases.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(verdicts.length).toBe(Object.keys(assumptions).length);
  });
});

describe("a server with a part of the API", () => {
  const ids = Object.keys(operations);
  const everything = async () => {
    const accessToken = await server.backend.credentials.createAccessToken({ userId: demo.users.owner });
    return [
      ...["--base-url", server.url, "--member-id", demo.members.owner],
      ...["--access-token", accessToken, "--account-id", demo.accountId],
      ...["--allow-changes", "--rotate-destination-id", demo.destinations.app, "--secret-file", join(folder, "secret")],
      ...["--group-destination-id", demo.destinations.phone, "--clear-hours-member-id", demo.members.agent],
      ...["--allow-calls", "--flow-id", demo.flows.published],
      ...["--from-number", demo.numbers.working, "--to-number", demo.recipients.anyone],
    ];
  };
  const without = (names: readonly string[]) => names.flatMap((name) => ["--without", name]);
  const asked = () => new Set(requests().flatMap(({ operationId }) => operationId ?? []));

  it("with three of eight operations passes, and the report names the others", async () => {
    const others = ids.filter((name) => !["listRoles", "listCalls", "createCall"].includes(name));
    for (const operationId of others)
      server.backend.faults.add({ match: { operationId }, do: { status: 500, body: { error: "no such route" } } });
    const { status, out } = await run([...(await everything()), ...without(others)]);
    expect(out).toContain(`The server has no ${others.join(", ")} (--without)`);
    expect(out).toContain("not run: the account list has the credential's accounts (--without listAccounts)");
    expect([status, out.includes("FAILED")]).toEqual([0, false]);
    expect(asked()).toEqual(new Set(["listRoles", "listCalls", "createCall"]));
  });

  it.each(ids)("is asked for nothing but %s if it has only that", async (name) => {
    const { status, out } = await run([...(await everything()), ...without(ids.filter((other) => other !== name))]);
    expect([status, out.includes("FAILED")]).toEqual([0, false]);
    expect(asked()).toEqual(new Set([name]));
  });

  it("is named in the JSON report", async () => {
    const { out } = await run(["--base-url", server.url, "--json", ...without(["createCall", "createCall"])]);
    expect((JSON.parse(out) as { without: unknown }).without).toEqual(["createCall"]);
  });
});

/** What a server answers to an operation in place of the reference. */
const answers = (operationId: string, body: object) =>
  void server.backend.faults.add({ match: { operationId }, do: { status: 200, body }, when: { times: 99 } });

describe("a server that breaks the contract", () => {
  it("is reported with the case, the section of the specification and the requests as curl commands", async () => {
    answers("listRoles", { roles: [] });
    const { status, out } = await run(["--base-url", server.url]);
    expect(out).toContain("FAILED live: the role list has every built-in role once");
    expect(out).toContain("The specification: §4.5, https://");
    expect(out).toMatch(/^ +curl 'http:.*\/api\/v1\/roles' -H "Authorization: Bearer \$CALL_TRANSFER_API_KEY"$/m);
    expect(status).toBe(1);
  });

  it("passes with a differing assumption, and the report names the case", async () => {
    answers("listCalls", { calls: [], meta: { size: 0 } });
    const { status, out } = await run(["--base-url", server.url]);
    expect(out).toMatch(/A-9 +differs.*\n(?:.*\n)*?.*in the case: /);
    expect([status, out.includes("FAILED")]).toEqual([0, false]);
  });

  it("cannot get the key printed by repeating it", async () => {
    answers("listRoles", { roles: demo.apiKey });
    const { out } = await run(["--base-url", server.url]);
    expect([out.includes("FAILED"), out.includes(demo.apiKey)]).toEqual([true, false]);
  });
});

describe("a wrong command line", () => {
  it.each([
    [[], "--base-url"],
    [["--base-url", "example.com"], "https://"],
    [["--base-url", "http://api.example.com"], "--allow-insecure-http"],
    [["--base-url", "https://user:secret@api.example.com"], "must not contain a user name"],
    [["--base-url", "https://api.example.com/api/v1"], "must not contain /api/v1"],
    [["--base-url", "https://api.example.com", "--timeout", "30"], "--timeout must be a duration"],
    [["--base-url", "https://api.example.com", "--rotate-destination-id", "1"], "only works with --allow-changes"],
    [["--base-url", "https://api.example.com", "--allow-changes"], "requires at least one of"],
    [["--base-url", "https://api.example.com", "--allow-changes", "--rotate-destination-id", "1"], "--secret-file"],
    [["--base-url", "https://api.example.com", "--to-number", "+15550100002"], "only works with --allow-calls"],
    [["--base-url", "https://api.example.com", "--allow-calls", "--to-number", "+15550100002"], "--flow-id"],
    [["--base-url", "https://api.example.com", "--access-token", "t"], "--account-id"],
    [["--base-url", "https://api.example.com", "--without", "listContacts"], "Choose from"],
    [["--base-url", "https://api.example.com", "--without", "listCalls,createCall"], "repeat it"],
    [
      ["--base-url", "https://api.example.com", ...Object.keys(operations).flatMap((one) => ["--without", one])],
      "names every operation",
    ],
    [["--nothing"], "--nothing"],
  ])("%j is rejected with a hint", async (args, words) => {
    const { status, err, out } = await run(args);
    expect(err).toContain(words);
    expect([status, out]).toEqual([2, ""]);
  });

  it("requires a credential", async () => {
    const { status, err } = await run(["--base-url", "https://api.example.com"], {});
    expect([status, err]).toEqual([2, expect.stringContaining("--api-key")]);
  });

  it.each(["", "svc_live_a b", "svc_live_…"])(
    "rejects the malformed credential %j without printing it",
    async (key) => {
      const { status, err } = await run(["--base-url", server.url], { CALL_TRANSFER_API_KEY: key });
      expect([status, err.includes("svc_live")]).toEqual([2, false]);
      expect(err).toContain("invalid characters");
    },
  );

  it("does not print a credential without its option", async () => {
    const { status, err } = await run(["--base-url", server.url, demo.apiKey]);
    expect([status, err.includes(demo.apiKey)]).toEqual([2, false]);
  });

  it("reports an unreachable server", async () => {
    // Nothing may listen on it.
    const { status, err } = await run(["--base-url", `http://127.0.0.1:${await freePort()}`]);
    expect([status, err]).toEqual([2, expect.stringContaining("cannot be reached: ECONNREFUSED")]);
  });

  it("reports a rejected credential without printing it", async () => {
    const { status, err } = await run(["--base-url", server.url], { CALL_TRANSFER_API_KEY: "svc_live_mistyped" });
    expect([status, err.includes("mistyped")]).toEqual([2, false]);
    expect(err).toContain("rejects the credential: 401 api_key_invalid");
  });

  it("does not overwrite an existing secret file", async () => {
    const taken = join(folder, "secret");
    const args = [
      "--base-url",
      server.url,
      "--allow-changes",
      "--rotate-destination-id",
      demo.destinations.app,
      "--secret-file",
    ];
    await run([...args, taken]);
    const { status, err } = await run([...args, taken]);
    const rotations = requests().filter(({ operationId }) => operationId === "rotateDestinationSecret");
    expect([status, rotations.length, err]).toEqual([2, 1, expect.stringContaining("EEXIST")]);
  });

  it("removes the secret file when the rotation fails", async () => {
    const secretFile = join(folder, "secret");
    const args = ["--base-url", server.url, "--allow-changes", "--rotate-destination-id", demo.destinations.phone];
    const { status } = await run([...args, "--secret-file", secretFile]);
    expect([status, existsSync(secretFile)]).toEqual([1, false]);
  });

  it("prints help", async () => {
    const { status, out } = await run(["--help"]);
    expect([status, out]).toEqual([0, expect.stringContaining("--allow-calls")]);
  });
});
