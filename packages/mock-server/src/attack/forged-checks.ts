// Forgeries. A receiver must refuse each, with a status from 400 to 499.
import { createHash, createHmac } from "node:crypto";
import { elapsed, realNow } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import { isLoopback } from "./attack-options.ts";
import { type About, type Check, check, type Lab, type Problem } from "./check.ts";
import type { Reply } from "./deliver.ts";
import { describe, isAccepted, type Offer, type Sending } from "./sender.ts";

/**
 * Seconds beyond the tolerance that leave no doubt. Machines whose clocks are not known to agree may be a minute apart, and
 * a slow receiver sees a future time later.
 */
const beyondSecs = { old: 5, ahead: 30, unknown: 60 };

/** How far from its time a receiver's `Date` header may be: it has whole seconds, and the answer took time. */
const clockDoubtMs = 3000;

/** Seconds beyond the tolerance at which a time must be refused, in one direction. */
function beyond({ sender, memory: { first } }: Lab, direction: "old" | "ahead"): number {
  const [, date = ""] = /^date\n(.+)$/im.exec(first?.reply.headers ?? "") ?? [];
  const answeredAt = realNow() - elapsed() + (first?.at ?? 0);
  const agrees = Math.abs(answeredAt - Date.parse(date)) < clockDoubtMs;
  const isHere = sender.options.urls.every((url) => isLoopback(new URL(url).hostname));
  return agrees || isHere ? beyondSecs[direction] : beyondSecs.unknown;
}

const verify = "Compute the signature of the received bytes, and refuse what does not match.";
const wholeSignature = "Compare the whole v1 value with the expected one, after comparing their lengths.";
const tolerance = "Refuse a time that differs from now by more than the tolerance.";
const algorithm = "Accept only HMAC-SHA256 in hexadecimal, from v1 parts.";
const oneTime = "Refuse a header with two times. Check the tolerance and the signature with the same one.";

export function forgeryProblems(reply: Reply, what = "A forgery"): Problem[] {
  const { status } = reply;
  if (isAccepted(reply)) return [{ kind: "accepted", problem: `${what} got ${describe(reply)}.`, replies: [reply] }];
  if (status !== undefined && status < 500) return [];
  const fix = "Answer 400 to what you cannot verify or read: check the form of header and body, and catch what throws.";
  const guess = reply.code === "TIMEOUT" ? "" : ", as from code that crashed";
  return [{ kind: "other", problem: `${what} got ${describe(reply)}${guess}.`, fix, replies: [reply] }];
}

type Header = readonly [time: string, ...signatures: string[]];

/** `mayClose`: a server may also close the connection. */
function forged(about: About, make: (lab: Lab, offer: Offer) => Sending, mayClose = false): Check {
  return check("forged", about, async (lab) => {
    const offer = lab.sender.offer();
    lab.expectHandled(offer.id, "never");
    const reply = await lab.sender.send(offer, make(lab, offer));
    const isClosed = reply.status === undefined && reply.code !== "TIMEOUT";
    return mayClose && isClosed ? [] : forgeryProblems(reply);
  });
}

/** A forgery whose header is made of the parts of a genuine one. */
const header = (
  name: string,
  fix: string,
  change: (parts: Header, lab: Lab, offer: Offer) => string,
  cites = "§6.1",
): Check =>
  forged([name, cites, fix], (lab, offer) => ({
    signature: change(lab.sender.sign(offer.body).split(",") as [string, ...string[]], lab, offer),
  }));

/** A forgery with the digest of another algorithm, of the string that is signed. */
const digest = (name: string, compute: (signed: string, secret: string) => string): Check =>
  header(
    name,
    algorithm,
    ([time], { sender }, { body }) =>
      `${time},${webhookSignature.scheme}=${compute(`${time.slice(2)}${webhookSignature.separator}${body}`, sender.options.secret)}`,
    "A-31",
  );

const body = (name: string, change: (text: string) => string): Check =>
  forged([name, "A-31", verify], (_lab, offer) => ({ body: change(offer.body) }));

const aged = (name: string, ageSecs: (lab: Lab) => number): Check =>
  forged([name, "A-31", tolerance, "medium"], (lab, offer) => ({
    signature: lab.sender.sign(offer.body, { ageSecs: ageSecs(lab) }),
  }));

/** An old message with its signature, made to look fresh by a second time. */
const twoTimes = (name: string, order: (oldTime: string, now: string) => string): Check =>
  header(
    name,
    oneTime,
    ([now], lab, { body }) => {
      const ageSecs = lab.toleranceSecs + beyondSecs.unknown;
      const [oldTime, ...signatures] = lab.sender.sign(body, { ageSecs }).split(",");
      return [order(oldTime ?? "", now), ...signatures].join(",");
    },
    "A-31",
  );

const otherSecret = (name: string, secretsOf: (lab: Lab) => readonly string[]): Check =>
  forged([name, "§6.2", verify], (lab, offer) => ({
    signature: lab.sender.sign(offer.body, { secrets: secretsOf(lab) }),
  }));

const contents = (name: string, text: string): Check =>
  check("forged", [name, "A-30", "Refuse a body that is not an event, although its signature is right."], async (lab) =>
    forgeryProblems(await lab.sender.send({ id: "", body: text }), "A signed body that is not an event"),
  );

/** If it fails, the other forgeries can say nothing. */
export const verifiesFirst = check(
  "forged",
  ["verified before the answer", "§6", "Verify the signature first. Answer after it."],
  async (lab) => {
    const [unsigned, wrong] = [lab.sender.offer(), lab.sender.offer()];
    for (const { id } of [unsigned, wrong]) lab.expectHandled(id, "never");
    const replies = [
      await lab.sender.send(unsigned, { signature: null }),
      await lab.sender.send(wrong, { signature: lab.sender.sign(wrong.body, { secrets: [lab.sender.id()] }) }),
    ];
    // Other answers are what the single forgeries are about.
    const [lost] = replies.filter(({ status }) => status === undefined);
    if (lost !== undefined) return forgeryProblems(lost);
    if (!replies.every(isAccepted)) return [];
    const problem = "An offer without a signature and one with a wrong secret both got 2xx.";
    return [{ kind: "accepted", problem, replies }];
  },
);

export const forgedChecks: readonly Check[] = [
  forged(["no signature header", "§6.1", verify], () => ({ signature: null })),
  header("an empty signature header", verify, () => ""),
  header("a header without v1", verify, ([time]) => time),
  header("an empty v1", wholeSignature, ([time]) => `${time},v1=`),
  header("a header without t", tolerance, ([, ...signatures]) => signatures.join(",")),
  otherSecret("another secret", ({ sender }) => [sender.id()]),
  otherSecret("two signatures with other secrets", ({ sender }) => [sender.id(), sender.id()]),
  otherSecret("the text undefined as the secret", () => ["undefined"]),
  digest("an empty secret", (signed) => createHmac("sha256", "").update(signed).digest("hex")),
  body("a body with one byte changed", (text) => text.replace("transfer.offer", "transfer.offeR")),
  body("a body with a space added", (text) => `${text} `),
  body("a body written with other spaces", (text) => JSON.stringify(JSON.parse(text), null, 1)),
  body("an empty body", () => ""),
  header("a signature cut by one character", wholeSignature, ([time, v1 = ""]) => `${time},${v1.slice(0, -1)}`),
  header("a signature cut in half", wholeSignature, ([time, v1 = ""]) => `${time},${v1.slice(0, 35)}`),
  header("a signature of one character", wholeSignature, ([time, v1 = ""]) => `${time},${v1.slice(0, 4)}`),
  header("a signature with digits added", wholeSignature, ([time, v1 = ""]) => `${time},${v1}00`),
  header("a signature that is not hexadecimal", wholeSignature, ([time]) => `${time},v1=${"z".repeat(64)}`),
  // Counted in characters as long as a signature, and in bytes twice as long.
  header("a signature outside ASCII", wholeSignature, ([time]) => `${time},v1=${"é".repeat(64)}`),
  header("the signature under another scheme", algorithm, ([time, v1 = ""]) => `${time},${v1.replace("v1=", "v0=")}`),
  header("the signature of another time", verify, ([time, v1 = ""]) => `t=${Number(time.slice(2)) + 1},${v1}`),
  digest("a signature in Base64", (signed, secret) => createHmac("sha256", secret).update(signed).digest("base64")),
  digest("a signature by HMAC-SHA1", (signed, secret) => createHmac("sha1", secret).update(signed).digest("hex")),
  digest("a signature by HMAC-SHA512", (signed, secret) => createHmac("sha512", secret).update(signed).digest("hex")),
  digest("a digest without the secret", (signed) => createHash("sha256").update(signed).digest("hex")),
  digest("a signature of the body without the time", (signed, secret) =>
    createHmac("sha256", secret)
      .update(signed.slice(signed.indexOf(".") + 1))
      .digest("hex"),
  ),
  aged("a signature older than the tolerance", (lab) => lab.toleranceSecs + beyond(lab, "old")),
  aged("a signature further ahead than the tolerance", (lab) => -lab.toleranceSecs - beyond(lab, "ahead")),
  aged("a signature of last year", () => 365 * 86_400),
  twoTimes("an old signature, and its time after a fresh one", (old, now) => `${now},${old}`),
  twoTimes("an old signature, and its time before a fresh one", (old, now) => `${old},${now}`),
  header("a hundred wrong signatures", wholeSignature, ([time]) =>
    [time, ...Array.from({ length: 100 }, (_, index) => `v1=${String(index).padStart(64, "0")}`)].join(","),
  ),
  forged(
    ["a header of 64 kB", "§6.1", "Refuse a long header before you split it."],
    ({ sender }, { body }) => ({
      signature: `${sender.sign(body, { secrets: [sender.id()] })},${"v1=0,".repeat(13_000)}`,
    }),
    true,
  ),
  contents("a signed body that is not JSON", "not JSON"),
  contents("a signed body of NUL bytes", "\0\0\0\0"),
  contents("a signed null", "null"),
];
