import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCodes } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileCorpus } from "./hostile-corpus.ts";
import { type MockServer, startMockServer } from "./server.ts";

let server: MockServer;
let slowestHealthMs = 0;
let watching: Promise<void>;
const over = new AbortController();

/** Sends one request on a connection of its own and answers what came back until its answer was whole or it closed. */
async function exchange({ bytes, breaksOff }: { bytes: string; breaksOff?: true }): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  let answer = "";
  socket.on("error", () => {});
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding("latin1").on("data", (part: string) => {
      answer += part;
      const [head, body] = answer.split(/\r\n\r\n(.*)/s);
      const length = /content-length: (\d+)/i.exec(head ?? "")?.[1];
      if (body !== undefined && length !== undefined && body.length >= Number(length)) resolve();
    });
  });
  const closed = once(socket, "close");
  if (breaksOff) socket.end(bytes, "latin1");
  else socket.write(bytes, "latin1");
  await Promise.race([answered, closed]);
  socket.destroy();
  return answer;
}

async function watchHealth(): Promise<void> {
  while (!over.signal.aborted) {
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
    await (await fetch(`${server.url}/_control/v1/health`)).text();
    // Time in which other processes had the machine is not the server's.
    const { user, system } = process.cpuUsage(cpuBefore);
    slowestHealthMs = Math.max(slowestHealthMs, Math.min(performance.now() - before, (user + system) / 1000));
    await sleep(5);
  }
}

beforeAll(async () => {
  server = await startMockServer({ port: 0, clock: "frozen", now: "2026-03-02T12:00:00Z" });
  // The first request pays for what is loaded on demand.
  await fetch(`${server.url}/_control/v1/health`);
  watching = watchHealth();
});

afterAll(async () => {
  over.abort();
  await watching;
  await server.close();
});

describe("the hostile corpus", () => {
  it("has at least 150 requests, no two alike", () => {
    expect(hostileCorpus.length).toBeGreaterThanOrEqual(150);
    expect(new Set(hostileCorpus.map(({ bytes }) => bytes)).size).toBe(hostileCorpus.length);
  });

  it.each(hostileCorpus)("$name is turned away", async (request) => {
    const answer = await exchange(request);
    if (answer === "") return;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/\bat .+:\d+:\d+|node:|node_modules/);
    const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
    if (body === "") return;
    const { code, status, error } = JSON.parse(body);
    const known = Object.entries(errorCodes).find(([name]) => name === code)?.[1];
    if (error === undefined) expect([known?.mockStatus, answer.slice(9, 12)]).toEqual([status, String(status)]);
  });

  it("leaves the server running, and its health read within 100 ms all the while", async () => {
    expect((await fetch(`${server.url}/_control/v1/health`)).status).toBe(200);
    expect(slowestHealthMs).toBeLessThan(100);
  });
});
