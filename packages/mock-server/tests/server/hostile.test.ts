import { once } from "node:events";
import { connect } from "node:net";
import { errorCodes } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/server/server.ts";
import { hostileCorpus } from "./hostile-corpus.ts";

let server: MockServer;
/** Maximum response time of the health check, in milliseconds. */
const healthWithinMs = 100;
/** How often a request is repeated that made the health check slow: a blocking one does so every time. */
const tries = 5;

/** Sends one request on a new connection; returns what was received until the response was complete or the connection closed. */
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

/** The response time of the health check, in milliseconds. */
async function healthMs(): Promise<number> {
  const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
  await (await fetch(`${server.url}/_control/v1/health`)).text();
  // CPU time, when other processes made the wall time longer.
  const { user, system } = process.cpuUsage(cpuBefore);
  return Math.min(performance.now() - before, (user + system) / 1000);
}

/** The response to a request, and the slowest health check until it arrived. */
async function exchangeBesideHealth(request: Parameters<typeof exchange>[0]) {
  let isAnswered = false;
  const answered = exchange(request).finally(() => {
    isAnswered = true;
  });
  let slowestMs = 0;
  do slowestMs = Math.max(slowestMs, await healthMs());
  while (!isAnswered);
  return { answer: await answered, slowestMs };
}

beforeAll(async () => {
  server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z" });
  // Warms up: the first request loads modules.
  await fetch(`${server.url}/_control/v1/health`);
});

afterAll(() => server.close());

describe("the hostile corpus", () => {
  it.each(hostileCorpus)("$name is rejected and does not block the server", async (request) => {
    let { answer, slowestMs } = await exchangeBesideHealth(request);
    for (let tried = 1; tried < tries && slowestMs >= healthWithinMs; tried += 1)
      ({ answer, slowestMs } = await exchangeBesideHealth(request));
    expect(slowestMs).toBeLessThan(healthWithinMs);
    if (answer === "") return;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/\bat .+:\d+:\d+|node:|node_modules/);
    const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
    if (body === "") return;
    const { code, status, error } = JSON.parse(body);
    const known = Object.entries(errorCodes).find(([name]) => name === code)?.[1];
    if (error === undefined) expect([known?.mockStatus, answer.slice(9, 12)]).toEqual([status, String(status)]);
  });

  it("leaves the server running", async () => {
    expect((await fetch(`${server.url}/_control/v1/health`)).status).toBe(200);
  });
});
