import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureHeader } from "@call-transfer/backend/unstable";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { type AttackOptions, attackReceiver, type Finding, formatReport } from "../../src/attack.ts";
import { type Bug, bugs, type HandWrittenReceiver, startHandWrittenReceiver } from "./hand-written-receiver.ts";
import { type Steps, startReceiver } from "./receiver-steps.ts";

const secrets = {
  secret: "secret-of-today",
  previousSecret: "secret-of-yesterday",
  retiredSecret: "secret-of-last-week",
};
const close: (() => Promise<unknown> | unknown)[] = [];

afterAll(async () => {
  await Promise.all(close.splice(0).map((one) => one()));
});

async function start(bug?: Bug): Promise<HandWrittenReceiver> {
  const receiver = await startHandWrittenReceiver(secrets, bug);
  close.push(receiver.close);
  return receiver;
}

async function attack(bug?: Bug, options: Partial<AttackOptions> = {}) {
  const { url, handled } = await start(bug);
  // A busy machine may stall for longer than the attack waits by default. What is late then would be a finding.
  return attackReceiver({ url, ...secrets, handled: () => handled, patient: true, ...options });
}

/** Starts a server that is no receiver. */
async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  close.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`, server };
}

/** Accepts an offer at its end: an answer before that closes the connection of a body that comes slowly. */
function accept(request: IncomingMessage, response: ServerResponse): void {
  request
    .on("error", () => {})
    .resume()
    .on("end", () => response.end());
}

/** An address where nothing listens, and nobody else may. */
const unusedUrl = async () => `http://127.0.0.1:${await freePort()}/offers`;

/** Counts on the receiver's own server, which are gone with it. */
function countsUntilItStops(server: Server): () => Record<string, number> {
  return () => {
    if (server.listening) return {};
    throw new Error("The counts are gone.");
  };
}

const namesOf = (findings: readonly Finding[]) => findings.map(({ kind, check }) => `${kind}: ${check}`);

describe.concurrent("a correct receiver", () => {
  it("passes every check", async () => {
    const { findings, checks, deliveries } = await attack();
    expect(findings).toEqual([]);
    expect(checks.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(deliveries.sent).toBe(219);
    expect(deliveries.accepted).toBe(82);
  });

  it("gets a report that JSON can hold, without its secrets", async () => {
    const report = await attack();
    const text = JSON.stringify(report);
    expect(JSON.parse(text)).toEqual(report);
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
  });

  it("passes the checks that need no counts and no previous secret, and the report names the rest", async () => {
    const { url } = await start();
    const { findings, checks } = await attackReceiver({ url, secret: secrets.secret, patient: true });
    expect(findings).toEqual([]);
    expect(new Set(checks.flatMap(({ reason }) => reason ?? []))).toEqual(
      new Set([
        "Whether the previous secret is accepted during a rotation: give previousSecret, or --previous-secret.",
        "Whether a secret of an earlier rotation is refused: give retiredSecret, or --retired-secret.",
        "How often the app handled each event, and whether a forgery reached it: give handled, or --handled-url.",
      ]),
    );
  });

  it("that takes the offers of one destination gets only those", async () => {
    const seen = new Set<unknown>();
    const { url } = await serve((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      request.on("error", () => {});
      request.on("end", () => {
        const signature = String(request.headers["service-signature"]);
        const [, time = ""] = /^t=(\d+),/.exec(signature) ?? [];
        const isGenuine = signature === signatureHeader(text, ["secret"], Number(time) * 1000);
        if (isGenuine && text.startsWith("{")) seen.add(JSON.parse(text).destinationId);
        response.end();
      });
    });
    await attackReceiver({ url, secret: "secret", patient: true, payload: { destinationId: "chosen" } });
    expect([...seen]).toEqual(["chosen"]);
  });

  it("gets the same events from the same seed, with the given fields", async () => {
    const idsOf = async (seed: number) => {
      const { url, handled } = await start();
      await attackReceiver({ url, ...secrets, seed, patient: true });
      return [...handled.keys()].sort();
    };
    expect(await idsOf(1)).toEqual(await idsOf(1));
    expect(await idsOf(1)).not.toEqual(await idsOf(2));
  });
});

/** What sends a copy after it closed the connection finds depends on how far the receiver was. */
const racing = "a copy after the sender hung up";

/** A receiver that seems slow, as all do on a busy machine, gets these offers while the first forgery ends it. */
const meanwhile = "20 offers at the same time";

/** The findings that the attack must have for each bug: these and no others. */
const findingsOf: Readonly<Record<Bug, readonly string[]>> = {
  "verifies the parsed body": [
    "refused: JSON with spaces and line breaks",
    "refused: JSON with keys in another order",
    "refused: JSON with escapes",
    "refused: JSON with large and unusual numbers",
    "accepted: a body with a space added",
    "accepted: a body written with other spaces",
    "refused: the same event written in another way",
  ],
  "compares the header as text": [
    "refused: two signatures, the first with the secret",
    "refused: two signatures, the second with the secret",
    "refused: two signatures, current and previous",
    "refused: a part of an unknown scheme",
    "refused: the parts of the header in another order",
    "other: a header without v1",
    "other: an empty v1",
    "other: two signatures with other secrets",
    "other: a signature cut by one character",
    "other: a signature cut in half",
    "other: a signature of one character",
    "other: a signature with digits added",
    "other: a signature outside ASCII",
    "other: a signature in Base64",
    "other: a signature by HMAC-SHA1",
    "other: a signature by HMAC-SHA512",
    "other: a signature that is a pattern",
  ],
  "verifies the first v1 only": ["refused: two signatures, the second with the secret"],
  "has no tolerance": [
    "accepted: a signature older than the tolerance",
    "accepted: a signature further ahead than the tolerance",
    "accepted: a signature of last year",
    "accepted: a signed time that is no Unix time",
  ],
  "does not recognize copies": [
    "handled_twice: the same bytes again",
    "handled_twice: the same event with a new signature",
    "handled_twice: 20 copies at the same time",
    "handled_twice: the same event written in another way",
    "handled_twice: a copy after all other offers",
  ],
  "answers 409 to copies": [
    "refused: the same bytes again",
    "refused: the same event with a new signature",
    "refused: 20 copies at the same time",
    "refused: the same event written in another way",
    "refused: a copy after all other offers",
  ],
  "answers before it verifies": ["accepted: verified before the answer"],
  "accepts only the previous secret": ["refused: an offer as the platform sends it"],
  "reads a body of any length": ["other: a forged body of 64 MB"],
  "sends the error to the sender": [
    "leaked: the expected signature",
    "leaked: a stack trace",
    "leaked: the path of a file",
  ],
};

describe.concurrent("a receiver that", () => {
  it.each(bugs.filter((bug) => bug !== "answers before it verifies"))("%s gets the findings about it", async (bug) => {
    const { findings } = await attack(bug);
    expect(namesOf(findings.filter(({ check }) => check !== racing))).toEqual(findingsOf[bug]);
  });

  it("answers before it verifies gets a finding about it, and no forgery is tried on it alone", async () => {
    const { findings, checks } = await attack("answers before it verifies", { timeoutMs: 5000, patient: false });
    // What else is found depends on how much of a body had arrived at the answer.
    expect(namesOf(findings)).toEqual(expect.arrayContaining([...findingsOf["answers before it verifies"]]));
    const forged = checks.filter(({ group, outcome }) => group === "forged" && outcome !== "failed");
    expect(new Set(forged.map(({ outcome }) => outcome))).toEqual(new Set(["not_checked"]));
  });

  it("accepts only the previous secret is advised to use the current one too", async () => {
    const { findings } = await attack("accepts only the previous secret");
    expect(findings[0]?.fix).toContain("The receiver accepts only the previous secret.");
  });

  it("verifies the first v1 only gets the report in docs/attack.md", async () => {
    const report = await attack("verifies the first v1 only");
    const page = readFileSync(new URL("../../../../docs/attack.md", import.meta.url), "utf8");
    const [, shown = ""] = /```text\n(.*?)```/s.exec(page) ?? [];
    const [url = ""] = report.urls;
    const printed = formatReport(report).replaceAll(url, "http://127.0.0.1:3000/offers").split("\n");
    const lines = shown.trimEnd().split("\n");
    // Signatures and ids, and the figures at the end, differ from run to run.
    const end = lines.findIndex((line) => /^\d+ deliveries/.test(line));
    const cut = printed.map((line, index) => {
      const start = lines[index]?.endsWith("…") ? lines[index].slice(0, -1) : undefined;
      return start !== undefined && line.startsWith(start) ? `${start}…` : line;
    });
    expect(end).toBeGreaterThan(0);
    expect(lines.slice(0, end)).toEqual(cut.slice(0, end));
    expect(shown.trimEnd().split("\n").at(-1)).toMatch(/^1 finding\. /);
  });

  it("runs as two processes that remember copies each for itself handles copies twice", async () => {
    const [one, two] = [await start(), await start()];
    const handled = () => {
      const ids = new Set([...one.handled.keys(), ...two.handled.keys()]);
      return new Map([...ids].map((id) => [id, (one.handled.get(id) ?? 0) + (two.handled.get(id) ?? 0)]));
    };
    const { findings } = await attackReceiver({ url: [one.url, two.url], ...secrets, handled, patient: true });
    expect(namesOf(findings.filter(({ check }) => check !== racing))).toEqual(findingsOf["does not recognize copies"]);
  });

  it("has another secret gets one finding, and is not attacked further", async () => {
    const { findings, checks } = await attack(undefined, { secret: "another", previousSecret: "one-more" });
    expect(namesOf(findings)).toEqual(["refused: an offer as the platform sends it"]);
    const unsent = checks.filter(({ group }) => group !== "leaks").slice(1);
    expect(checks.filter(({ outcome }) => outcome === "not_checked")).toEqual(unsent);
  });

  it("refuses plain offers with a text that leaks gets that finding too, which names the check", async () => {
    const { findings } = await attack("sends the error to the sender", {
      secret: "another",
      previousSecret: "one-more",
    });
    const leaked = findings.find(({ kind }) => kind === "leaked");
    expect(leaked?.problem).toMatch(
      /^The answer to the check "an offer as the platform sends it" \(status \d{3}\) contains /,
    );
  });

  it("accepts an event but never handles it gets a finding", async () => {
    const { url } = await start();
    const { findings } = await attackReceiver({ url, ...secrets, timeoutMs: 2000, handled: () => ({}) });
    expect(findings[0]?.problem).toBe("The receiver accepted the event, but the app did not handle it.");
  });

  it("ends at a forgery gets a finding, and the rest is not checked", async () => {
    const { url, server } = await serve((request, response) => {
      if (request.headers["service-signature"] !== undefined) return accept(request, response);
      server.close().closeAllConnections();
      return undefined;
    });
    const { findings, checks } = await attackReceiver({ url, secret: secrets.secret, patient: true });
    expect(findings.map(({ check }) => check).filter((check) => check !== meanwhile)).toEqual([
      "verified before the answer",
    ]);
    const reasons = checks.flatMap(({ reason }) => reason ?? []);
    expect(reasons).toContain("The rest, because the receiver stopped listening. Find out why it ended.");
  });

  it("stops when a connection closes in the middle of a body gets a finding", async () => {
    const { url, server } = await serve((request, response) => {
      const isGenuine = request.method === "POST";
      request.on("error", () => server.close().closeAllConnections());
      request.resume().on("end", () => response.writeHead(isGenuine ? 200 : 405).end());
    });
    const { findings } = await attackReceiver({
      url,
      secret: "secret",
      patient: true,
      handled: countsUntilItStops(server),
    });
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "a body that stops in the middle",
        kind: "refused",
        fix: expect.stringContaining("Catch the error of a body whose connection closes before its end."),
      }),
    );
  });

  it("stops before the counts can be read gets the findings all the same", async () => {
    const { url, server } = await serve((request, response) => {
      if (request.headers["service-signature"] !== undefined) return accept(request, response);
      server.close().closeAllConnections();
      return undefined;
    });
    const handled = countsUntilItStops(server);
    const { findings, checks } = await attackReceiver({ url, secret: "secret", patient: true, handled });
    expect(findings.map(({ check }) => check).filter((check) => check !== meanwhile)).toEqual([
      "verified before the answer",
    ]);
    expect(checks.flatMap(({ reason }) => reason ?? [])).not.toContain(expect.stringContaining("give handled"));
  });

  it("crashes at a forgery without a signature is tried with the other forgeries", async () => {
    const { url } = await serve((request, response) => {
      if (request.headers["service-signature"] === undefined) request.socket.destroy();
      else accept(request, response);
    });
    const { findings } = await attackReceiver({ url, secret: "secret", patient: true });
    expect(findings).toContainEqual(expect.objectContaining({ check: "another secret", kind: "accepted" }));
  });

  it.each([
    ["/", "Error in /srv/app/server.js", true],
    ["/offers", "Error in /srv/app/server.js", true],
    ["/hooks/offers.php", "Not found: /hooks/offers.php", false],
    ["/offers", '<script src="/assets/pages/app.js"></script>', false],
  ])("at %s answers forgeries with %j: a file's path is found: %s", async (path, answer, isFound) => {
    const { url } = await serve((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(request.headers["service-signature"] === undefined ? 400 : 200).end(answer);
      });
    });
    const { findings } = await attackReceiver({ url: new URL(path, url).href, secret: "secret", patient: true });
    expect(findings.some(({ check }) => check === "the path of a file")).toBe(isFound);
  });

  it("has a framework whose page for unknown addresses names its scripts leaks no path", async () => {
    const { url } = await serve((request, response) => {
      const isOffer = request.url?.startsWith("/offers?") || request.url === "/offers";
      const status = !isOffer ? 404 : request.headers["service-signature"] === undefined ? 400 : 200;
      request
        .resume()
        .on("end", () => response.writeHead(status).end(isOffer ? "" : "load(/_next/static/chunks/app.js)"));
    });
    const { findings } = await attackReceiver({ url, secret: "secret", patient: true });
    expect(findings.map(({ check }) => check)).not.toContain("the path of a file");
  });

  it("stops answering is not attacked to the end", async () => {
    // It ends within the offers that are sent at the same time, so that they time out together.
    let count = 0;
    const { url } = await serve((_request, response) => void (count++ < 20 && response.end()));
    const { checks } = await attackReceiver({ url, secret: "secret", timeoutMs: 2000 });
    const reasons = checks.flatMap(({ reason }) => reason ?? []);
    expect(reasons).toContain("The rest, because 5 deliveries got no answer in time. Fix the findings first.");
  });

  it("drops the connection at a forgery gets a finding that says so", async () => {
    const { url } = await serve((request, response) => {
      if (request.headers["service-signature"] === undefined) request.socket.destroy();
      else accept(request, response);
    });
    const { findings } = await attackReceiver({ url, secret: "secret", patient: true });
    expect(findings[0]).toMatchObject({
      check: "verified before the answer",
      problem: "A forgery got no answer (the connection was closed), as from code that crashed.",
    });
  });

  it("never answers gets a finding that says how long the attack waited", async () => {
    const { url } = await serve(() => {});
    const { findings } = await attackReceiver({ url, secret: "secret", timeoutMs: 200 });
    expect(findings.map(({ problem }) => problem)).toEqual([
      "An offer signed with the secret got no answer within 200 ms.",
    ]);
  });
});

describe.concurrent("a slow receiver", () => {
  const startSlow = async (steps: Partial<Steps>) => {
    const {
      url,
      handled,
      close: end,
    } = await startReceiver({
      secrets: [secrets.secret, secrets.previousSecret],
      ...steps,
    });
    close.push(end);
    return { url, handled };
  };

  it("gets many checks at the same time, and a patient attack waits for answers that come too late", async () => {
    const receiver = await startSlow({ delayMs: 1000 });
    const { findings, checks } = await attackReceiver({ ...secrets, ...receiver, timeoutMs: 900, patient: true });
    expect(namesOf(findings)).toEqual(["refused: an answer in time"]);
    expect(findings[0]?.problem).toMatch(
      /^A plain offer was answered after \d+\.\d s\. The platform gives it up after 0\.9 s\.$/,
    );
    expect(checks.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name)).toEqual(["an answer in time"]);
  });

  it("with a mistake gets the finding about it", async () => {
    const receiver = await startSlow({ delayMs: 1000, keyOf: ({ event }) => String(event?.id).slice(0, 12) });
    const { findings } = await attackReceiver({ ...secrets, ...receiver, timeoutMs: 5000, patient: true });
    expect(namesOf(findings)).toEqual(["other: events whose ids are nearly the same"]);
  });

  it("is not checked longer than allowed, and the report names what was left out", async () => {
    const receiver = await startSlow({ delayMs: 1000 });
    const report = await attackReceiver({ ...secrets, ...receiver, maxDurationMs: 500 });
    expect(report.findings).toEqual([]);
    const left = report.checks.filter(({ outcome }) => outcome === "not_checked");
    expect(left.length).toBeGreaterThan(80);
    expect(new Set(left.map(({ reason }) => reason?.replace(/\d+\.\d s/, "1.0 s")))).toEqual(
      new Set([
        "The remaining checks, because the attack ended after 1 s, and a plain offer takes 1.0 s. Use patient, or --patient, to wait longer.",
      ]),
    );
    expect(formatReport(report)).toContain("JSON with escapes");
  });
});

describe.concurrent("the evidence of a finding", () => {
  it("is the delivery as curl sends it, and the answer, without secrets", async () => {
    const { url, handled } = await startReceiver({
      secrets: [secrets.secret],
      isSame: () => false,
      refusal: () => ({ body: `\u001b[31mkey=${secrets.secret} ${Buffer.from(secrets.secret).toString("hex")}` }),
    }).then((receiver) => {
      close.push(receiver.close);
      return receiver;
    });
    const payload = { note: "it's" };
    const { findings } = await attackReceiver({ url, ...secrets, handled, payload, patient: true });
    const [{ evidence, severity, basis } = {}] = findings;
    expect({ severity, basis }).toEqual({ severity: "medium", basis: "stated" });
    const [{ sent = "", answer } = {}] = evidence ?? [];
    expect(answer).toBe("status 400: \\u001b[31mkey=[secret] [secret]");
    expect(sent.split(" \\\n  ")).toEqual([
      `curl -X POST ${url}`,
      "-H 'content-type: application/json'",
      expect.stringMatching(/^-H 'Service-Signature: t=\d+,v1=[0-9a-f]{64}'$/),
      expect.stringMatching(/^--data-binary '\{.*"note":"it'\\''s".*\}'$/),
    ]);
    expect(JSON.stringify(findings)).not.toContain(secrets.secret);
  });

  it("says in words what curl cannot send, and names chunks and other methods", async () => {
    const { url } = await serve((request, response) => void request.resume().on("end", () => response.end()));
    const { findings } = await attackReceiver({ url, secret: "secret", patient: true });
    const sentBy = (name: string) => findings.find(({ check }) => check === name)?.evidence[0]?.sent;
    expect(sentBy("verified before the answer")).toContain("-H 'content-type: application/json'");
    expect(sentBy("a forged body of 64 MB")).toBe(
      `POST ${url}, by the check itself: a command would be too long, or cannot send it.`,
    );
  });
});

describe.concurrent("attackReceiver", () => {
  it("says where no receiver is listening", async () => {
    const url = await unusedUrl();
    await expect(attackReceiver({ url, secret: "secret" })).rejects.toThrow(
      `No receiver is listening at ${url}. Start it, or check the address.`,
    );
  });

  it.each<[Partial<AttackOptions>, string]>([
    [{ url: [] }, "url must be an address or a list of them"],
    [{ url: "ftp://127.0.0.1/" }, "url must be an http or https URL, not ftp://127.0.0.1/"],
    [{ url: "http://user:word@127.0.0.1/" }, "url must not contain a user name or password"],
    [{ url: "http://192.0.2.1/" }, "http://192.0.2.1/ is not on this machine."],
    [{ url: "http://127.0.0.1.example.com/" }, "http://127.0.0.1.example.com/ is not on this machine."],
    [{ secret: "" }, "secret must be non-empty text"],
    [{ previousSecret: "" }, "previousSecret must be non-empty text"],
    [{ retiredSecret: "secret" }, "retiredSecret must differ from the secrets that the receiver accepts"],
    [{ toleranceMs: 0 }, "toleranceMs must be a number above 0"],
    [
      { toleranceSecs: 300 } as Partial<AttackOptions>,
      "toleranceSecs is no longer an option. Use toleranceMs, in milliseconds.",
    ],
    [{ timeoutMs: Number.NaN }, "timeoutMs must be a number above 0"],
    // It would check nothing, and find nothing.
    [{ maxDurationMs: 0 }, "maxDurationMs must be a number above 0"],
    [{ seed: 0.5 }, "seed must be a whole number"],
  ])("rejects %j", async (options, message) => {
    const rejection = expect(attackReceiver({ url: "http://127.0.0.1:9/", secret: "secret", ...options })).rejects;
    await rejection.toThrow(TypeError);
    await rejection.toThrow(message);
  });

  it("rejects counts that it cannot read before it sends anything", async () => {
    const { url, handled } = await start();
    const wrong = { handled: () => undefined } as unknown as Partial<AttackOptions>;
    await expect(attackReceiver({ url, ...secrets, ...wrong })).rejects.toThrow("handled must return how often");
    expect(handled.size).toBe(0);
  });
});
