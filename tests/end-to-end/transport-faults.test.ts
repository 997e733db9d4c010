import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let server: MockServer;
beforeEach(async () => {
  server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z" });
});
afterEach(() => server.close());

/** Adds a fault over the control plane. */
async function plan(action: string): Promise<void> {
  const response = await fetch(`${server.url}/_control/v1/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ do: action }),
  });
  expect(response.status).toBe(201);
}

/** Whether a request has used the fault. */
const isTaken = (): boolean => server.backend.faults.list().length === 0;

/** Milliseconds without data after which a connection counts as stalled. */
const stillMs = 200;

/**
 * Sends a request over a plain socket. Returns the bytes, and whether the connection ended, was reset and is closed. Waits
 * until it closes, or until it stalls after `shown` is true for the bytes.
 */
async function observe(shown?: (text: string) => boolean) {
  const socket = connect(server.port, "127.0.0.1");
  const seen = { text: "", ended: false, reset: false };
  socket.setEncoding("utf8").on("data", (part) => {
    seen.text += part;
  });
  socket.on("end", () => {
    seen.ended = true;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    seen.reset = error.code === "ECONNRESET";
  });
  const { path } = operations.listRoles;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${demo.apiKey}\r\n\r\n`);
  const closed = new Promise<true>((resolve) => socket.once("close", () => resolve(true)));
  const still = async (isShown: (text: string) => boolean): Promise<false> => {
    while (!isShown(seen.text)) await sleep(5);
    return sleep(stillMs, false);
  };
  const isClosed = await (shown === undefined ? closed : Promise.race([closed, still(shown)]));
  socket.destroy();
  return { ...seen, isClosed };
}

describe("a plain socket sees", () => {
  it.each(["reset", "process_then_reset"])("a reset without data after %s", async (action) => {
    await plan(action);
    expect(await observe()).toEqual({ text: "", ended: false, reset: true, isClosed: true });
  });

  it("a normal end without data after empty", async () => {
    await plan("empty");
    expect(await observe()).toEqual({ text: "", ended: true, reset: false, isClosed: true });
  });

  it("a body shorter than its Content-Length after truncate", async () => {
    await plan("truncate");
    const { text, isClosed } = await observe();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(isClosed).toBe(true);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(promised);
  });

  it("an open connection without data after hang", async () => {
    await plan("hang");
    expect(await observe(isTaken)).toEqual({ text: "", ended: false, reset: false, isClosed: false });
  });

  it("headers and a part of the body after slow_body", async () => {
    await plan("slow_body");
    const { text, isClosed } = await observe((seen) => seen.includes("\r\n\r\n"));
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toContain("\r\n0\r\n\r\n");
    expect(isClosed).toBe(false);
  });
});

describe("the SDK", () => {
  const open = () => new CallTransfer({ baseUrl: server.url, apiKey: demo.apiKey, maxRetries: 1 });
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  const placed = () => server.backend.state.calls.size;

  it.each([
    ["reset", 0],
    ["empty", 0],
    ["process_then_reset", 1],
    ["truncate", 1],
  ])("does not retry a placement after %s, which placed %d calls", async (action, count) => {
    const before = placed();
    await plan(action);
    await expect(open().calls.create(call)).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(placed() - before).toBe(count);
  });
});
