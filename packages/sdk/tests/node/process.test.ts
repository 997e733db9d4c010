// nodeFetch in a process of its own, and beside what replaces http.request.
import { execFile } from "node:child_process";
import http, { createServer } from "node:http";
import https from "node:https";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HttpResponse, http as mocked } from "msw";
import { setupServer } from "msw/node";
import { afterEach, expect, it, vi } from "vitest";
import { closeAll, fetchOf, listen, placement } from "./servers.ts";

afterEach(closeAll);

const entry = fileURLToPath(new URL("../../src/node.ts", import.meta.url));

it("a process ends although a connection is idle", async () => {
  const server = createServer((_, response) => response.end("all"));
  server.keepAliveTimeout = 600_000;
  const url = `http://127.0.0.1:${await listen(server)}`;
  const program = `
    const { nodeFetch } = await import(${JSON.stringify(entry)});
    console.log(await (await nodeFetch({ proxy: false })(${JSON.stringify(url)})).text());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toBe("all\n");
});

it.each(["http", "https"])("MSW answers a request to %s", async (scheme) => {
  const url = `${scheme}://api.example.com/api/v1/calls`;
  const seen: unknown[] = [];
  const server = setupServer(
    mocked.post(url, async ({ request }) => {
      seen.push(await request.json(), request.headers.get("authorization"));
      return HttpResponse.json({ type: "initiated", callId: "c" }, { status: 201 });
    }),
  );
  server.listen({ onUnhandledFrame: "error" });
  try {
    const init = { method: "POST", body: JSON.stringify(placement), headers: { authorization: "Bearer x" } };
    expect(await (await fetchOf()(url, init)).json()).toEqual({ type: "initiated", callId: "c" });
    expect(seen).toEqual([placement, "Bearer x"]);
  } finally {
    server.close();
  }
});

it("what replaces http.request later sees the request, and may add headers", async () => {
  const server = createServer((request, response) => response.end(request.headers.traceparent));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const send = fetchOf();
  const { request } = http;
  // As OpenTelemetry's instrumentation does.
  const replaced = vi
    .spyOn(http, "request")
    .mockImplementation(((options: http.RequestOptions) =>
      request({ ...options, headers: { ...options.headers, traceparent: "00-trace" } })) as never);
  expect(await (await send(url)).text()).toBe("00-trace");
  expect(replaced).toHaveBeenCalledOnce();
  const secure = vi.spyOn(https, "request");
  await expect(send("https://nowhere.invalid")).rejects.toThrow(TypeError);
  expect(secure).toHaveBeenCalledOnce();
});
