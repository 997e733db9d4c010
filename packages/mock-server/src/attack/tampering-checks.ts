// Genuine deliveries, changed on the way in places that a careless comparison does not look at.

import { createHmac } from "node:crypto";
import { demo } from "@call-transfer/backend";
import { realNow } from "@call-transfer/backend/unstable";
import { limits, webhookSignature } from "@call-transfer/spec";
import type { Check, Lab } from "./check.ts";
import { type Forgery, forgeries } from "./forgeries.ts";
import type { Offer } from "./sender.ts";

const wholeSignature = "Compare all bytes of the signature with timingSafeEqual(), after comparing the lengths.";
const wholeBody = "Compute the signature of all bytes of the body, as they were received, and of nothing else.";
const digits = "Compute the signature of t as it stands in the header. Accept t only if it is digits alone.";

/** Digits around the places where comparisons stop: 8, 16, 31, 32, 48, 62 and 63 digits. */
const changedDigits = [0, 7, 8, 15, 16, 31, 32, 47, 48, 61, 62, 63];

function headerOf(lab: Lab, { body }: Offer): readonly [time: string, signature: string] {
  const [, time = "", signature = ""] = /^t=(\d+),v1=(\w+)$/.exec(lab.sender.sign(body)) ?? [];
  return [time, signature];
}

/** The signature with one digit changed by the least bit. */
const withDigit = (signature: string, index: number): string =>
  signature.slice(0, index) +
  (Number.parseInt(signature.charAt(index), 16) ^ 1).toString(16) +
  signature.slice(index + 1);

/** The signature with its first two different neighbours from `start` on exchanged. */
function swapped(signature: string, start: number): string {
  let index = start;
  while (signature[index] === signature[index + 1]) index += 1;
  const [one = "", two = ""] = signature.slice(index, index + 2);
  return signature.slice(0, index) + two + one + signature.slice(index + 2);
}

const changedSignature = (lab: Lab, what: string, change: (signature: string) => string): Forgery => {
  const offer = lab.sender.offer();
  const [time, signature] = headerOf(lab, offer);
  return { what, offer, sending: { signature: `t=${time},v1=${change(signature)}` } };
};

const rewritten: readonly [what: string, (time: string) => string][] = [
  ["a zero in front", (time) => `0${time}`],
  ["a plus sign", (time) => `+${time}`],
  ["a fraction", (time) => `${time}.0`],
  ["an exponent", (time) => `${time}e0`],
  ["a letter after it", (time) => `${time}x`],
  ["hexadecimal", (time) => `0x${Number(time).toString(16)}`],
];

/** Times that are signed, but are no time of now in Unix seconds. */
const noTimes: readonly [what: string, () => string][] = [
  ["no digits", () => ""],
  ["a word", () => "now"],
  ["NaN", () => "NaN"],
  ["zero", () => "0"],
  ["milliseconds", () => String(realNow())],
];

const signedWith = (secret: string, time: string, body: string): string =>
  `t=${time},v1=${createHmac("sha256", secret).update(`${time}${webhookSignature.separator}${body}`).digest("hex")}`;

/** Secrets that stand in examples, and what a missing one turns into. */
const wellKnown = [demo.signingSecret, "secret", "changeme", "test", "your-signing-secret", "null", "[object Object]"];

/** The offer's field that reaches to nearly the end of its body. */
const padded = (lab: Lab, length: number): Offer => lab.sender.offer(undefined, { note: "x".repeat(length) });

const longBodies = [2100, 20_000, 70_000];

export const tamperingChecks: readonly Check[] = [
  forgeries(["a signature with one digit changed", "A-31", wholeSignature], (lab) =>
    changedDigits.map((index) =>
      changedSignature(lab, `digit ${index + 1}`, (signature) => withDigit(signature, index)),
    ),
  ),
  forgeries(["a signature with two digits exchanged", "A-31", wholeSignature], (lab) =>
    [0, 20, 50].map((index) =>
      changedSignature(lab, `from digit ${index + 1}`, (signature) => swapped(signature, index)),
    ),
  ),
  forgeries(["a signature that is a pattern", "A-31", wholeSignature], (lab) =>
    [".*", "[0-9a-f]{64}", "%", "*"].map((pattern) => changedSignature(lab, pattern, () => pattern)),
  ),
  forgeries(["the end of a long body changed", "A-31", wholeBody], (lab) =>
    longBodies.map((length) => {
      const offer = padded(lab, length);
      const at = offer.body.lastIndexOf("x");
      const body = `${offer.body.slice(0, at)}y${offer.body.slice(at + 1)}`;
      return { what: `after ${length} bytes`, offer, sending: { body } };
    }),
  ),
  forgeries(["the second chunk of a body changed", "A-31", wholeBody], (lab) => {
    const offer = padded(lab, 200);
    const [first, second] = [Buffer.from(offer.body.slice(0, 200)), offer.body.slice(200).replace("x", "y")];
    return [{ what: "chunked", offer, sending: { parts: [first, Buffer.from(second)], pauseMs: 20 } }];
  }),
  forgeries(["a byte order mark added", "A-31", wholeBody, "low"], (lab) => {
    const offer = lab.sender.offer();
    return [{ what: "UTF-8", offer, sending: { body: `\ufeff${offer.body}` } }];
  }),
  forgeries(["the time written in another way", "A-31", digits, "low"], (lab) =>
    rewritten.map(([what, write]) => {
      const offer = lab.sender.offer();
      const [time, signature] = headerOf(lab, offer);
      return { what, offer, sending: { signature: `t=${write(time)},v1=${signature}` } };
    }),
  ),
  forgeries(
    [
      "a signed time that is no Unix time",
      "A-31",
      "Refuse a t that is not 1 to 12 digits before you compare it: no comparison with NaN is true.",
      "low",
    ],
    (lab) =>
      noTimes.map(([what, time]) => {
        const offer = lab.sender.offer();
        return { what, offer, sending: { signature: signedWith(lab.sender.options.secret, time(), offer.body) } };
      }),
  ),
  forgeries(
    ["a secret of an example", "§6.3", "Remove the secrets of examples and tests from what the receiver accepts."],
    (lab) =>
      wellKnown
        .filter((secret) => secret !== lab.sender.options.secret && secret !== lab.previousSecret)
        .map((secret) => {
          const offer = lab.sender.offer();
          return { what: secret, offer, sending: { signature: lab.sender.sign(offer.body, { secrets: [secret] }) } };
        }),
  ),
  forgeries(
    [
      "a secret of an earlier rotation",
      "§6.2",
      `Remove the previous secret ${limits.previousSecretOverlapHours} hours after the rotation.`,
    ],
    (lab) => {
      const offer = lab.sender.offer();
      const secrets = [lab.retiredSecret ?? ""];
      return [{ what: "alone", offer, sending: { signature: lab.sender.sign(offer.body, { secrets }) } }];
    },
    "retiredSecret",
  ),
];
