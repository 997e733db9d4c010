import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { type AttackOptions, type AttackReport, attackReceiver, formatReport } from "../../src/attack.ts";
import { plantedBugs, secrets } from "./planted-bugs.ts";
import { type Steps, startReceiver } from "./receiver.ts";

const close: (() => unknown)[] = [];
afterAll(() => {
  for (const one of close) one();
});

// On a busy machine an answer may take long.
const timeoutMs = 240_000;

async function start(steps: Partial<Steps> = {}) {
  const receiver = await startReceiver({ secrets: Object.values(secrets), ...steps });
  close.push(receiver.close);
  return receiver;
}

async function attack(steps: Partial<Steps> = {}, options: Partial<AttackOptions> = {}) {
  const { url, handled } = await start(steps);
  return attackReceiver({ url, handled, ...secrets, timeoutMs, ...options });
}

/** Starts a server that is no receiver, and attacks it. */
async function attackServer(listener: RequestListener, options: Partial<AttackOptions> = {}) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = () => server.close().closeAllConnections();
  close.push(end);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`;
  return { run: () => attackReceiver({ url, secret: "secret", timeoutMs, ...options }), end };
}

/** Answers at the end of the body: an answer before that closes the connection of a body that comes slowly. */
function answer(request: IncomingMessage, response: ServerResponse, status = 200): void {
  request
    .on("error", () => {})
    .resume()
    .on("end", () => response.writeHead(status).end());
}

const titlesOf = ({ findings }: AttackReport) => findings.map(({ title }) => title);

describe.concurrent("a correct receiver", () => {
  it("passes every check, and gets a report that JSON can hold, without its secrets", async () => {
    const report = await attack();
    expect(report).toMatchObject({ findings: [], notChecked: [], passed: 39, deliveries: 178 });
    const text = JSON.stringify(report);
    expect(JSON.parse(text)).toEqual(report);
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(formatReport(report)).toMatch(/^Attacked \S+: no findings\n\nChecks passed: 39\. Deliveries sent: 178\.$/);
  });

  it("passes what needs no counts and no previous secret, and the report says what was not checked", async () => {
    const { url } = await start();
    const report = await attackReceiver({ url, secret: secrets.secret, timeoutMs });
    expect(report).toMatchObject({ findings: [], passed: 38 });
    expect(formatReport(report)).toContain(`
Not checked
  – Whether the previous secret is accepted during a rotation: give previousSecret, or --previous-secret.
  – How often the app handled each event: give handled, or --handled-url.
`);
  });
});

describe.concurrent("a receiver that", () => {
  it.each(Object.entries(plantedBugs))("%s gets the findings about it, with the fix", async (_, bug) => {
    const report = await attack(bug.steps);
    for (const [title, fix] of Object.entries(bug.findings))
      expect(report.findings).toContainEqual(expect.objectContaining({ title, fix: expect.stringContaining(fix) }));
    const others = titlesOf(report).filter((title) => !(title in bug.findings));
    if (!bug.isByChance) expect(others).toEqual([]);
  });

  it("checks no signature gets one finding first, in place of one for each forgery", async () => {
    const report = await attack({ needsSignature: () => false });
    const text = formatReport(report);
    expect(titlesOf(report)).toEqual(["No signature is checked"]);
    expect(report.findings[0]).toMatchObject({ kind: "accepted", reference: "§6.1" });
    expect(report.findings[0]?.checks.length).toBeGreaterThan(12);
    expect(text.split("\n").slice(0, 5)).toEqual([
      expect.stringMatching(/^Attacked \S+: 1 finding$/),
      "",
      "✗ No signature is checked",
      "  A forgery got status 200.",
      expect.stringMatching(
        /^ {2}Fix: Verify the signature of the received bytes first, and answer 400 if it does not match\./,
      ),
    ]);
  });

  it("runs as two processes that remember copies each for itself handles copies twice", async () => {
    const [one, two] = [await start(), await start()];
    const handled = () => {
      const ids = new Set([...one.handled().keys(), ...two.handled().keys()]);
      return new Map([...ids].map((id) => [id, (one.handled().get(id) ?? 0) + (two.handled().get(id) ?? 0)]));
    };
    const report = await attackReceiver({ url: [one.url, two.url], ...secrets, handled, timeoutMs });
    expect(titlesOf(report)).toEqual(["Copies are not recognized"]);
  });

  it("has another secret gets one finding, with its answer, and is not attacked further", async () => {
    const report = await attack({}, { secret: "another", previousSecret: "one-more" });
    expect(report).toMatchObject({
      findings: [{ title: "Nothing genuine is accepted", evidence: { answer: "status 400: refused" } }],
      notChecked: ["All other checks, because the receiver accepts nothing genuine. Fix that first."],
      deliveries: 1,
    });
  });

  it("accepts an event but never handles it gets a finding", async () => {
    const { findings } = await attack({}, { handled: () => ({}) });
    expect(findings).toContainEqual(
      expect.objectContaining({
        problem: "The receiver accepted an event, but the app did not handle it.",
        fix: expect.stringContaining("Check that handled() counts by the event's id."),
      }),
    );
  });

  it("ends at a forgery gets the finding although its counts are gone, and the rest is not checked", async () => {
    const server = await attackServer(
      (request, response) => {
        if (request.headers["service-signature"] !== undefined) return answer(request, response);
        return server.end();
      },
      {
        handled() {
          if (titles.length === 0) titles.push("read");
          else throw new Error("The counts are gone.");
          return {};
        },
      },
    );
    const titles: string[] = [];
    const report = await server.run();
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        title: "no signature header",
        problem: "A forgery got no answer (the connection was closed).",
      }),
    );
    expect(report.notChecked.slice(1)).toEqual([
      "The rest, because the receiver stopped listening. Find out why it ended.",
      "How often the app handled each event: give handled, or --handled-url.",
    ]);
  });

  it("ends when a connection closes in the middle of a body gets a finding", async () => {
    const server = await attackServer((request, response) => {
      const status = request.method === "POST" ? 200 : 405;
      answer(request, response, status);
      request.on("error", server.end);
    });
    expect((await server.run()).findings).toContainEqual(
      expect.objectContaining({
        title: "a body that stops in the middle",
        fix: expect.stringContaining("Catch the error of a body that ends early."),
      }),
    );
  });

  it("stops answering is not attacked to the end", async () => {
    let count = 0;
    const server = await attackServer((request, response) => void (count++ < 20 && answer(request, response)), {
      timeoutMs: 2000,
    });
    expect((await server.run()).notChecked).toContain(
      "The rest, because 5 deliveries got no answer in time. Fix the findings first.",
    );
  });

  it("answers without an end is read for 64 kB, and judged by its status", async () => {
    const endless = (_: unknown, response: ServerResponse) => {
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    };
    const { findings } = await (await attackServer(endless)).run();
    expect(findings.map(({ problem }) => problem).join("\n")).not.toContain("no answer within");
  });

  it("quotes its secret in an answer gets evidence without any part of it, and without control characters", async () => {
    const [secret, previousSecret] = ["base-today", "base"];
    for (const before of [285, 300]) {
      const refusal = () => `\u001b[31m${"x".repeat(before)}${secret} ${Buffer.from(secret).toString("hex")}`;
      const report = await attack({ refusal, secrets: [] }, { secret, previousSecret });
      expect(titlesOf(report)).toEqual(["Nothing genuine is accepted", "a signing secret"]);
      const { sent, answer: shown = "" } = report.findings[0]?.evidence ?? {};
      expect(shown.startsWith("status 400: \\u001b[31mxxx")).toBe(true);
      expect(JSON.stringify(report)).not.toMatch(/today|base/);
      expect(sent).toMatch(
        /^POST http:\S+\ncontent-type: application\/json\n.*\nService-Signature: t=\d+,v1=\w{64}\n\n\{"/s,
      );
    }
  });

  it("verifies the first v1 only gets the report in docs/attack.md", async () => {
    const report = await attack({ signatures: (all) => all.slice(0, 1) });
    const page = readFileSync(new URL("../../../../docs/attack.md", import.meta.url), "utf8");
    const [, shown = ""] = /```text\n(.*?)\n```/s.exec(page) ?? [];
    const [url = ""] = report.urls;
    const lines = shown.split("\n");
    // Signatures and ids differ from run to run.
    const printed = formatReport(report).replaceAll(url, "http://127.0.0.1:3000/offers").split("\n");
    const cut = printed.map((line, index) => {
      const start = lines[index]?.endsWith("…") ? lines[index].slice(0, -1) : undefined;
      return start !== undefined && line.startsWith(start) ? `${start}…` : line;
    });
    expect(lines).toEqual(cut);
  });
});

describe.concurrent("attackReceiver", () => {
  it.each<[Partial<AttackOptions>, string]>([
    [{ url: [] }, "url must be an address or a list of them"],
    [{ url: "http://user:word@127.0.0.1/" }, "url must be an http or https URL without user name and password"],
    [{ url: "http://127.0.0.1.example.com/" }, "http://127.0.0.1.example.com/ is not on this machine."],
    [{ secret: "" }, "secret and previousSecret must not be empty"],
    [{ previousSecret: "" }, "secret and previousSecret must not be empty"],
    [{ timeoutMs: Number.NaN }, "timeoutMs must be a number above 0"],
  ])("rejects %j", async (options, message) => {
    const rejection = expect(attackReceiver({ url: "http://127.0.0.1:9/", secret: "secret", ...options })).rejects;
    await rejection.toThrow(TypeError);
    await rejection.toThrow(message);
  });
});
