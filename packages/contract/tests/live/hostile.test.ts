import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { operations } from "@call-transfer/spec";
import { expect, it, vi } from "vitest";
import { liveTarget } from "../../src/remote/live-target.ts";
import { main } from "../../src/remote/main.ts";

const apiKey = "svc_live_hostile";

/** Runs the command against a hostile server. */
async function runAgainst(listener: RequestListener, args: readonly string[] = []) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const printed = { out: "", err: "" };
  try {
    const status = await main({
      args: ["--base-url", `http://127.0.0.1:${port}`, ...args],
      environment: { CALL_TRANSFER_API_KEY: apiKey },
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
    });
    return { status, ...printed };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const answer = (response: ServerResponse, status: number, body: string) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(body);
const isProbe = (path = "") => path === operations.listAccounts.path;

it.each([
  ["a code that cannot be converted to a string", '{"code":{"toString":1}}'],
  ["a title that cannot be converted to a string", '{"code":"not_found","title":{"toString":1}}'],
  ["a status that is a list", '{"code":"not_found","status":[{"toString":1}]}'],
])("reports %s", async (_what, body) => {
  const { status, out } = await runAgainst((_request, response) => answer(response, 404, body));
  expect([status, out]).toEqual([1, expect.stringContaining("0 passed")]);
});

it("reports a deeply nested body", async () => {
  const deep = `{"accounts":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { status, out } = await runAgainst((_request, response) => answer(response, 200, deep));
  expect([status, out]).toEqual([1, expect.stringContaining("0 passed")]);
  expect(out).toContain("GET /api/v1/accounts → 200: the body nests deeper than 64 levels");
});

it("stops reading an endless response", async () => {
  const part = Buffer.alloc(1024 * 1024, " ");
  const { status, out } = await runAgainst(({ url }, response) => {
    if (!url?.startsWith(operations.listRoles.path)) return answer(response, 200, "{}");
    // Between two parts the server can notice that the connection is closed.
    const pour = () => void (!response.destroyed && response.write(part, () => setImmediate(pour)));
    pour();
  });
  expect([status, out]).toEqual([1, expect.stringContaining("the response is longer than")]);
});

it("does not print a key that the server repeats", async () => {
  const { status, err } = await runAgainst(({ headers }, response) =>
    answer(response, 401, JSON.stringify({ code: headers.authorization })),
  );
  expect([status, err]).toEqual([2, expect.stringContaining("rejects the credential: 401 Bearer [redacted]")]);
});

it("escapes control characters and line breaks of the server", async () => {
  const title = "\u001B[2J\u009B2J\nfake line";
  const { out } = await runAgainst((_request, response) =>
    answer(response, 404, JSON.stringify({ code: "not_found", title })),
  );
  expect(out).toContain("\\u001b[2J\\u009b2J");
  expect(out.split("\n").filter((line) => line.startsWith("fake line") || /[^\P{Cc}\n]/u.test(line))).toEqual([]);
});

it("stops when the server dies, without reporting the remaining cases as failed", async () => {
  let answered = 0;
  const { status, out, err } = await runAgainst((_request, response) => {
    answered += 1;
    if (answered > 3) response.destroy();
    else answer(response, 404, "{}");
  });
  expect(out.match(/FAILED/g)).toHaveLength(3);
  expect(out).toContain("(the server stopped responding)");
  expect([status, err]).toEqual([2, expect.stringContaining("cannot be reached")]);
});

it("continues when the server hangs for one operation", async () => {
  let hung = 0;
  let limit = new AbortController();
  // Ends a request that hangs, and no other one, however slow this machine is.
  const limits = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    limit = new AbortController();
    return limit.signal;
  });
  const { status, out } = await runAgainst(
    ({ url }, response) => {
      if (url !== operations.listRoles.path) return answer(response, 404, "{}");
      hung += 1;
      limit.abort(new DOMException("It hangs.", "TimeoutError"));
    },
    ["--timeout", "4m"],
  );
  expect([status, out.includes("stopped responding"), hung > 0]).toEqual([1, false, true]);
  expect(new Set(limits.mock.calls.flat())).toEqual(new Set([240_000]));
});

it("does not follow a redirect with the key", async () => {
  const met: string[] = [];
  await runAgainst(({ url = "" }, response) => {
    met.push(url);
    if (isProbe(url)) return answer(response, 200, "{}");
    return void response.writeHead(307, { location: "/elsewhere" }).end();
  });
  expect(met).not.toContain("/elsewhere");
});

it("a rate limit is waited for to its end, although timers fire early", async () => {
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (task: () => void, ms: number) => setTimeout(task, ms / 2));
  const times: number[] = [];
  const send = async () => {
    times.push(performance.now());
    if (times.length > 1) return Response.json({ data: [] });
    return Response.json({ code: "rate_limit_exceeded", meta: { retryAfterSecs: 0.0305 } }, { status: 429 });
  };
  const options = { baseUrl: "http://127.0.0.1", apiKey, timeoutSecs: 60, allowInsecureHttp: true, json: false };
  const target = liveTarget(
    { ...options, strict: false, without: [], changes: {} },
    { sent: 0, answers: [], trace: [] },
    undefined,
    send,
  );
  await target.fetch("http://127.0.0.1/api/v1/roles");
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(30.5);
});
