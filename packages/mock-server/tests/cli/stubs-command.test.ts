import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { afterAll, expect, it } from "vitest";
import { readStubs } from "../../src/cli/files/stubs-file.ts";
import { startForwardingServer } from "../../src/proxy/forwarding-server.ts";
import { startMockServer } from "../../src/server/server.ts";
import { startTarget } from "../proxy/target.ts";
import { runLine } from "./run-line.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-record-"));
afterAll(() => rmSync(folder, { recursive: true }));
const authorization = `Bearer ${demo.apiKey}`;

it("records what was forwarded as stubs, without secrets, and they answer the same", async () => {
  let count = 0;
  const target = await startTarget((response, { url, method }) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url === "/login") return json(200, { accessToken: "t-1", phone: "+14155550167" });
    if (method === "DELETE") return response.writeHead(204).end();
    if (url === "/page") return response.writeHead(200, { "content-type": "text/html" }).end("<p>");
    if (url === "/binary") return response.end(Buffer.from([255, 0]));
    if (url === "/templates") return json(200, { text: "{{env.HOME}}" });
    count += 1;
    return json(200, { count: Math.min(count, 2) });
  });
  const server = await startForwardingServer({ unknownTo: target.url }, { port: 0, clock: "frozen" });
  const requests = [
    ["POST", "/login", {}],
    ...["/jobs/7?full=yes", "/jobs/7?full=yes", "/jobs/7?full=yes", "/numbers/+14155550167?token=abc", "/page"].map(
      (path) => ["GET", path, { authorization }] as const,
    ),
    ["DELETE", "/jobs/7", { authorization }],
    ["GET", "/binary", {}],
    ["GET", "/templates", {}],
    ["GET", "/api/v1/roles", { authorization }],
  ] as const;
  const record = async (...args: string[]) => {
    for (const [method, path, headers] of requests) await (await fetch(server.url + path, { method, headers })).text();
    return runLine(server.url, "stubs", "record", ...args);
  };
  try {
    const { stdout, stderr } = await record();
    expect(stdout).not.toMatch(/t-1|4155550167|abc/);
    expect(stderr.split("\n")).toEqual([
      "Left out: GET /binary, whose answer is not kept: it is too old, too long, or not text.",
      expect.stringMatching(/^Left out: GET \/templates: .*is not a template/),
    ]);
    const path = join(folder, "stubs.yaml");
    writeFileSync(path, stdout);
    const stubs = await readStubs("--stubs", path);
    expect(stubs).toEqual([
      {
        ...{ method: "POST", path: "/login", public: true },
        response: { body: { accessToken: "[redacted]", phone: "+1415*****67" } },
      },
      {
        ...{ method: "GET", path: "/jobs/7", match: { query: { full: "yes" } } },
        responses: [{ body: { count: 1 } }, { body: { count: 2 } }],
      },
      { method: "GET", path: "/numbers/{hidden1}", match: { query: { token: "*" } }, response: { body: { count: 2 } } },
      { method: "GET", path: "/page", response: { headers: { "content-type": "text/html" }, body: "<p>" } },
      { method: "DELETE", path: "/jobs/7", response: { status: 204 } },
    ]);
    expect(JSON.parse((await runLine(server.url, "stubs", "record", "--json")).stdout)).toEqual({ stubs });
    const offline = await startMockServer({ port: 0, clock: "frozen", stubs });
    const answers = ["/jobs/7?full=yes", "/numbers/+14155550167?token=x"].map((each) =>
      fetch(offline.url + each, { headers: { authorization } }).then((response) => response.json()),
    );
    expect(await Promise.all(answers)).toEqual([{ count: 1 }, { count: 2 }]);
    await offline.close();
  } finally {
    await server.close();
  }
});

it("leaves out a target that did not answer, and says that nothing is recorded", async () => {
  const server = await startForwardingServer({ unknownTo: "http://127.0.0.1:9" }, { port: 0, clock: "frozen" });
  try {
    await fetch(`${server.url}/a`);
    const { stdout, stderr } = await runLine(server.url, "stubs", "record");
    expect(stdout).toBe("stubs: []");
    expect(stderr).toBe("No stub is recorded. Start the server with --unknown-to, and send requests.");
    await expect(runLine(server.url, "stubs")).rejects.toThrow("Missing action.");
    await expect(runLine(server.url, "stubs", "recrod")).rejects.toThrow('Unknown stubs action "recrod"');
  } finally {
    await server.close();
  }
});
