// The table of an attack: what is changed of a genuine delivery, what a correct receiver does, and what to fix if it does not.
import { randomUUID } from "node:crypto";
import { demo } from "@call-transfer/backend";
import { realNow, setTimeout } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import type { Check } from "./report.ts";
import { type Change, type Delivery, type Expected, type Offer, type Sender, unixTime } from "./sender.ts";

/** One check: a kind of change, in one or several variants. */
export interface Mutation extends Check {
  /** Its deliveries, or why it cannot be checked. A wave is sent at once, after the answers to the one before. */
  waves(sender: Sender): readonly (readonly Delivery[])[] | string;
}

/** Changes by their names. */
type Variants = Readonly<Record<string, Change>>;

const deliveriesOf = (expected: Expected, variants: Variants): readonly Delivery[] =>
  Object.entries(variants).map(([what, change]) => ({ expected, what, ...change }));
const accepted = (change: Change = {}): Delivery => ({ expected: "accept", ...change });

/** Rows whose deliveries follow on each other. */
const inWaves =
  (group: Check["group"]) =>
  (name: string, reference: string, fix: string, waves: Mutation["waves"]): Mutation => {
    return { group, name, reference, fix, waves };
  };
const duplicates = inWaves("duplicates");
const limits = inWaves("limits");

/** Rows whose deliveries are sent at once, each with an event of its own. */
const inVariants =
  (group: Check["group"], expected: Expected) =>
  (name: string, reference: string, fix: string, variants: Variants | ((sender: Sender) => Variants)) =>
    inWaves(group)(name, reference, fix, (sender) => [
      deliveriesOf(expected, typeof variants === "function" ? variants(sender) : variants),
    ]);
const genuine = inVariants("genuine", "accept");
const forged = inVariants("forged", "refuse");

/** Another digit in each place: a signature by any other secret matches in some places, which some receivers take for a match. */
const otherDigits = (text: string, by: number) =>
  text.replace(/[0-9a-f]/g, (digit) => {
    const value = Number.parseInt(digit, 16);
    return (value + by < 16 ? value + by : value - by).toString(16);
  });

const unsigned: Change = { header: null };
/** A signature as a forger without the secret would write it. */
const wrong: Change = { header: (now, digest) => `t=${now},v1=${otherDigits(digest, 1)}` };
const otherType: Change = { body: (text) => text.replace("transfer.offer", "transfer.offeR") };
const note = (text: string): Change => ({ fields: { note: text } });
const startingWith = (text: string): Change => ({ write: (all) => `{${text},${JSON.stringify(all).slice(1)}` });
const rewritten = (text: string) => JSON.stringify(JSON.parse(text), null, 1);
const v1 = (change: (v1: string) => string): Change => ({ header: (now, digest) => `t=${now},v1=${change(digest)}` });
const halves = (bytes: Buffer, at = 40) => [bytes.subarray(0, at), bytes.subarray(at)];
async function* slowly(bytes: Buffer) {
  for (const half of halves(bytes)) {
    yield half;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
/** The same change for each of several values, named after them. */
const each = <Value>(values: readonly Value[], change: (value: Value) => Change, name = ""): Variants =>
  Object.fromEntries(values.map((value) => [`${name}${value}`, change(value)]));

/** A text with another digit at an index. */
const otherDigit = (text: string, index: number) =>
  text.slice(0, index) + (text[index] === "0" ? "1" : "0") + text.slice(index + 1);
/** A long offer with one character near its end changed after it was signed. */
const changedAfter = (length: number): Change => ({
  ...note("x".repeat(length)),
  body: (text) => text.replace(/x(?=[^x]*$)/, "y"),
});

const notAscii = "Zoë, 東京, 🙂";
/** Digits around the places where comparisons stop: 8, 16, 31, 32, 48, 62 and 63 digits. */
const changedDigits = [0, 7, 8, 15, 16, 31, 32, 47, 48, 61, 62, 63];
/** What a missing secret turns into. */
const noSecrets = ["", "undefined", "null", "[object Object]"];
const exampleSecrets = [demo.signingSecret, "secret", "changeme", "test", "your-signing-secret"];
const markup = "<script>attack()</script>";

/** How far a time may be from now, and with time to spare for a slow machine. */
const { toleranceSecs } = webhookSignature;
const spareSecs = 30;

/** What to do about a finding. */
const fixes = {
  address:
    "Check the address, and that the secret is the current one. If the app takes some events only, give payload.",
  rawBody: "Verify the bytes as they were received. Do not parse or decode them before, or write them again.",
  longBody: "Sign and read the whole body: an event may have more fields. Refuse it from 1 MB on.",
  otherTypes: "Verify every event. Answer 2xx to types that you do not handle.",
  contentType: "Do not compare the content type. Read the raw body of every POST.",
  headerNames: "Compare header names without regard to case.",
  anyV1: "Accept the offer if any of the v1 values verifies. During a rotation there are two.",
  previousSecret: "Verify with the current secret and with the previous one.",
  parts: "Split the header at the commas, and find the parts by their names. Ignore names that you do not know.",
  tolerance: "Accept a time that differs from now by up to the tolerance, in both directions. Refuse any other.",
  chunks: "Collect the body's chunks as bytes until its end, and verify these. Do not turn each chunk into text.",
  noLock: "Accept each offer on its own. Do not hold a lock that all offers share.",
  verify: "Compute the signature of the received bytes, and refuse what does not match.",
  someParts: "Refuse a header without one t and a v1 at least. Ignore other schemes than v1.",
  ownSecrets: "Remove the secrets of examples and tests. Compute no signature without a secret.",
  wholeBody: "Compute the signature of all bytes of the body, as they were received, and of nothing else.",
  wholeSignature: "Compare the whole v1 value with timingSafeEqual(), after comparing the lengths.",
  oneTime: "Refuse a header with two times. Check the tolerance and the signature with the same one.",
  events: "Refuse a body that is not an event, although its signature is right.",
  onlyPost: "Answer only POST. Answer 405 to other methods, and ignore headers that name another one.",
  everyPost: "Verify every POST to this address before anything looks at it, whatever its headers or fields say.",
  noDestination: "Refuse an event for which there is no secret. Compute no signature without one.",
  remember: "Remember each event's id and answer for a day, where all processes see them. Answer a copy as the first.",
  byWholeId: "Recognize a copy by the event's whole id alone, not by its bytes, signature, time or transfer.",
  verifyFirst: "Look an event up, and remember it, only after its signature is verified.",
  stopReading: "Stop reading at 1 MB, answer 413 and close the connection.",
  halfBody: "Handle an event after its whole body. Catch the error of a body that ends early. Do not block others.",
} as const;

/** The first check, to each address. If it fails, the others can say nothing. */
export const plainOffer = inWaves("genuine")("an offer as the platform sends it", "§6.1", fixes.address, (sender) => [
  sender.options.urls.map((url) => accepted({ url })),
]);

export const mutations: readonly Mutation[] = [
  genuine("valid JSON in another form", "A-31", fixes.rawBody, {
    "spaces and line breaks": { write: (all) => JSON.stringify(all, null, 2) },
    "keys in another order": startingWith('"2":"second","1":"first"'),
    escapes: startingWith('"note":"caf\\u00e9 \\/ \\u0041"'),
    "characters outside ASCII": startingWith(`"note":${JSON.stringify(notAscii)}`),
    "large and unusual numbers": startingWith('"amount":12345678901234567890,"rate":1.0,"count":1e2'),
  }),
  genuine("an offer of 20 kB", "A-30", fixes.longBody, { long: note("x".repeat(20_000)) }),
  genuine("an event of another type", "A-30", fixes.otherTypes, {
    another: { fields: { type: "transfer.attack_test" }, mayIgnore: true },
  }),
  genuine("a content type with a charset", "§6", fixes.contentType, {
    "UTF-8": { contentType: "application/json; charset=utf-8" },
  }),
  genuine("the header name in another case", "§6.1", fixes.headerNames, {
    ...each(["service-signature", "SERVICE-SIGNATURE"], (headerName) => ({ headerName })),
  }),
  genuine("two signatures", "§6.2", fixes.anyV1, ({ options: { secret } }) => ({
    "the first with the secret": { secrets: [secret, randomUUID()] },
    "the second with the secret": { secrets: [randomUUID(), secret] },
  })),
  inWaves("genuine")("the previous secret", "§6.2", fixes.previousSecret, ({ options: { secret, previousSecret } }) => {
    if (previousSecret === undefined)
      return "Whether the previous secret is accepted during a rotation: give previousSecret, or --previous-secret.";
    const variants = { alone: { secrets: [previousSecret] }, second: { secrets: [secret, previousSecret] } };
    return [deliveriesOf("accept", variants)];
  }),
  genuine("other parts of the header", "§6.1", fixes.parts, {
    "an unknown scheme": { header: (now, digest) => `t=${now},v0=0123,v1=${digest},v2=abc` },
    "another order": { header: (now, digest) => `v1=${digest},t=${now}` },
  }),
  genuine("a time within the tolerance", "A-31", fixes.tolerance, () => ({
    "almost too old": { time: unixTime(toleranceSecs - spareSecs) },
    "almost too far ahead": { time: unixTime(spareSecs - toleranceSecs) },
  })),
  genuine("a body in parts", "A-31", fixes.chunks, {
    "cut within a character": { ...note(notAscii), parts: (bytes) => halves(bytes, bytes.indexOf("🙂") + 2) },
    slowly: { parts: slowly },
  }),
  inWaves("genuine")("20 offers at the same time", "A-32", fixes.noLock, () => [
    Array.from({ length: 20 }, () => accepted()),
  ]),

  forged("no signature header", "§6.1", fixes.verify, { unsigned }),
  forged("a signature with another secret", "§6.2", fixes.verify, {
    "one signature": wrong,
    "two signatures": {
      header: (now, digest) => `t=${now},v1=${otherDigits(digest, 1)},v1=${otherDigits(digest, 2)}`,
    },
  }),
  forged("a header without its parts", "§6.1", fixes.someParts, {
    empty: { header: () => "" },
    "without v1": { header: (now) => `t=${now}` },
    "an empty v1": v1(() => ""),
    "without t": { header: (_now, digest) => `v1=${digest}` },
    "another scheme": { header: (now, digest) => `t=${now},v0=${digest}` },
  }),
  // One that the receiver has is no forgery.
  forged("a secret of an example", "§6.3", fixes.ownSecrets, ({ options: { secret, previousSecret } }) =>
    each(
      [...exampleSecrets, ...noSecrets].filter((example) => example !== secret && example !== previousSecret),
      (example) => ({ secrets: [example] }),
    ),
  ),
  forged("a changed body", "A-31", fixes.wholeBody, {
    "one byte": otherType,
    "a space added": { body: (text) => `${text} ` },
    "a byte order mark added": { body: (text) => `\ufeff${text}` },
    "other spaces": { body: rewritten },
    empty: { body: () => "" },
    ...each([2100, 20_000, 70_000], changedAfter, "one byte after "),
    "the second chunk": { ...changedAfter(200), parts: slowly },
  }),
  forged("a changed signature", "A-31", fixes.wholeSignature, {
    ...each(changedDigits, (index) => v1((all) => otherDigit(all, index)), "digit "),
    "digits in another order": v1((all) => [...all].reverse().join("")),
    ...each([63, 32, 1], (length) => v1((all) => all.slice(0, length)), "digits left: "),
    "digits added": v1((all) => `${all}00`),
    // As long as a signature in characters, and twice as long in bytes.
    "outside ASCII": v1(() => "é".repeat(64)),
    ...each(["z".repeat(64), ".*", "[0-9a-f]{64}", "%", "*"], (pattern) => v1(() => pattern)),
  }),
  // Clocks differ, and a slow receiver sees a time ahead later.
  forged("a time beyond the tolerance", "A-31", fixes.tolerance, () => ({
    "too old": { time: unixTime(toleranceSecs + spareSecs) },
    "too far ahead": { time: unixTime(-toleranceSecs - spareSecs) },
    "last year": { time: unixTime(365 * 86_400) },
  })),
  forged("an old signature beside a fresh time", "A-31", fixes.oneTime, () => {
    const old = unixTime(toleranceSecs + 60);
    return {
      "the old time last": { time: old, header: (_old, digest) => `t=${unixTime()},t=${old},v1=${digest}` },
      "the old time first": { time: old, header: (_old, digest) => `t=${old},t=${unixTime()},v1=${digest}` },
    };
  }),
  forged("a signed body that is not an event", "A-30", fixes.events, {
    "not JSON": { offer: { id: "", body: "not JSON" } },
    "NUL bytes": { offer: { id: "", body: "\0\0\0\0" } },
    null: { offer: { id: "", body: "null" } },
  }),
  forged("another method", "§6", fixes.onlyPost, {
    ...each(["GET", "PUT", "PATCH", "DELETE"], (method) => ({ method })),
    ...each(["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"], (name) => {
      return { method: "GET", headers: { [name]: "POST" } };
    }),
  }),
  forged("a forgery in chunks", "§6", fixes.everyPost, {
    "wrongly signed": { ...wrong, parts: halves },
    unsigned: { ...unsigned, parts: halves },
  }),
  forged("a forgery of another content type", "§6", fixes.everyPost, {
    ...each(
      [
        ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
        ...["application/cloudevents+json", "application/json; charset=utf-16", null],
      ],
      (contentType) => ({ ...wrong, contentType }),
    ),
    "a content encoding": { ...wrong, headers: { "content-encoding": "identity" } },
  }),
  forged("a forgery that claims to come from inside", "§6", fixes.everyPost, {
    ...each(["X-Forwarded-For", "X-Real-IP", "True-Client-IP"], (name) => {
      return { ...unsigned, headers: { [name]: "127.0.0.1" } };
    }),
  }),
  forged("a forgery of another event type", "A-30", fixes.everyPost, {
    ...each(["transfer.attack_test", "ping", "webhook.test", undefined], (type) => ({ ...wrong, fields: { type } })),
    url_verification: { ...wrong, fields: { type: "url_verification", challenge: "attack" } },
    "a test event": { ...wrong, fields: { test: true, livemode: false } },
    markup: { ...wrong, fields: { type: markup, note: markup } },
  }),
  // Of unknown destinations: unsigned, and signed with what a look-up without a result leads to.
  forged("a forgery for another destination", "§6.3", fixes.noDestination, {
    ...each(["unknown", undefined, "__proto__"], (destinationId) => ({ fields: { destinationId }, ...unsigned })),
    ...each(
      ["unknown", undefined, "__proto__"],
      (destinationId) => ({ fields: { destinationId }, secrets: noSecrets }),
      "signed without a secret: ",
    ),
  }),
  duplicates("the same bytes again", "A-32", fixes.remember, (sender) => {
    const first = accepted({ offer: sender.offer(), time: unixTime() });
    return [[first], [first]];
  }),
  duplicates("the same event with a new signature", "A-32", fixes.remember, (sender) => {
    const offer = sender.offer();
    return [[accepted({ offer, time: unixTime(2) })], [accepted({ offer })]];
  }),
  duplicates("the same event written in another way", "A-30", fixes.byWholeId, (sender) => {
    const offer = sender.offer();
    return [[accepted({ offer })], [accepted({ offer: { id: offer.id, body: rewritten(offer.body) } })]];
  }),
  duplicates("20 copies at the same time", "A-32", fixes.remember, (sender) => {
    const offer = sender.offer();
    return [Array.from({ length: 20 }, () => accepted({ offer }))];
  }),
  duplicates("events that are nearly the same", "A-30", fixes.byWholeId, (sender) => {
    const id = randomUUID();
    const same = { transferId: randomUUID(), destinationId: randomUUID(), ...sender.options.payload };
    const older = { ...same, createdAt: new Date(realNow() - 20_000).toISOString() };
    const ids = [otherDigit(id, 35), otherDigit(id, 0), `${id}-2`];
    const others = ids.map((other) => accepted({ offer: sender.offer(same, undefined, other) }));
    return [[accepted({ offer: sender.offer(same, undefined, id) })], [...others, accepted({ fields: older })]];
  }),
  duplicates("an offer with forged copies", "§6", fixes.verifyFirst, (sender) => {
    const [before, beside, after] = [sender.offer(), sender.offer(), sender.offer()];
    const copiesOf = (offer: Offer, when: string) =>
      Object.entries({ unsigned, "wrongly signed": wrong, changed: otherType }).map(
        ([what, change]): Delivery => ({ expected: "refuse", what: `${what}, ${when}`, offer, ...change }),
      );
    return [
      [...copiesOf(before, "before it"), accepted({ offer: after })],
      [accepted({ offer: before }), ...copiesOf(beside, "beside it"), accepted({ offer: beside })],
      copiesOf(after, "after it"),
    ];
  }),

  limits("a forged body of 64 MB", "§6", fixes.stopReading, () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    return [[{ expected: "stop_reading", ...wrong, parts: () => Array.from({ length: 1024 }, () => chunk) }]];
  }),
  limits("a body that stops in the middle", "A-31", fixes.halfBody, (sender) => {
    const url = sender.nextUrl();
    return [[{ expected: "refuse", url, isLeftOpen: true }, accepted({ url })], [accepted({ url })]];
  }),
];

/** Copies of the first offer at the end, to each address: a short memory has lost it, and other processes never had it. */
export const lateCopies = (offer: Offer): Mutation =>
  duplicates("a copy after all other offers", "A-32", fixes.remember, ({ options: { urls } }) => [
    urls.map((url) => accepted({ offer, url })),
  ]);
