// Mistakes of receivers, and what the attack must find of each.
import { demo } from "@call-transfer/backend";
import type { Delivery, Steps } from "./receiver-steps.ts";
import { correct } from "./receiver-steps.ts";

export const secrets = {
  secret: "secret-of-today",
  previousSecret: "secret-of-yesterday",
  retiredSecret: "secret-of-last-week",
};
const accepted = [secrets.secret, secrets.previousSecret];

interface Mistake {
  readonly steps: Partial<Steps>;
  /** Names of checks that must fail: these and, unless other digests match by chance, no others. */
  readonly findings: readonly string[];
  readonly isByChance?: boolean;
}

const mistake = (steps: Partial<Steps>, ...findings: string[]): Mistake => ({
  steps: { secrets: accepted, ...steps },
  findings,
});

/** Compares texts of equal length in a careless way. */
const compare = (isSame: (given: string, expected: string) => boolean, ...findings: string[]): Mistake => ({
  ...mistake({ isSame: (given, expected) => given.length === expected.length && isSame(given, expected) }, ...findings),
  isByChance: true,
});

const codes = (text: string) => [...text].map((character) => character.charCodeAt(0));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const idOf = ({ event }: Delivery) => String(event?.id);

/** Verifies unless a delivery is of this kind. */
const unless = (isExempt: (delivery: Delivery) => boolean, ...findings: string[]): Mistake =>
  mistake({ needsSignature: (delivery) => !isExempt(delivery) }, ...findings);

/** Remembers the newest events only. */
const remembering =
  (most: number): Steps["forget"] =>
  (known) => {
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  };

const digit = "a signature with one digit changed";
const forgedCopies = "forged copies of a handled offer";

export const mistakes: Readonly<Record<string, Mistake>> = {
  // The signature.
  "compares the first 16 digits": compare(
    (a, b) => a.slice(0, 16) === b.slice(0, 16),
    digit,
    "a signature with two digits exchanged",
  ),
  "compares the first 62 digits": compare((a, b) => a.slice(0, 62) === b.slice(0, 62), digit),
  "compares the last 32 digits": compare(
    (a, b) => a.slice(-32) === b.slice(-32),
    digit,
    "a signature with two digits exchanged",
  ),
  "adds up differences": compare((a, b) => sum(codes(a)) === sum(codes(b)), "a signature with two digits exchanged"),
  "overwrites the difference": compare((a, b) => a.at(-1) === b.at(-1), digit, "a signature with two digits exchanged"),
  "compares as numbers": compare((a, b) => Number(`0x${a}`) === Number(`0x${b}`), digit),
  "matches as a pattern": mistake(
    {
      isSame(given, expected) {
        try {
          return given !== "" && new RegExp(`^${given}$`).test(expected);
        } catch {
          return false;
        }
      },
    },
    "a signature that is a pattern",
  ),
  // What is signed.
  "does not verify bodies over 64 kB": unless(({ body }) => body.length > 65_536, "the end of a long body changed"),
  "signs the first 1,024 bytes": mistake({ signedBody: (body) => body.subarray(0, 1024) }, "an offer of 20 kB"),
  "drops a byte order mark": mistake(
    { signedBody: (body) => (body.toString("hex", 0, 3) === "efbbbf" ? body.subarray(3) : body) },
    "a byte order mark added",
  ),
  "signs the number of the time": mistake(
    {
      signedTime: (time) => String(Number.parseInt(time, 10)),
      isTime: () => true,
      isFresh: (time, most) => correct.isFresh(String(Number.parseInt(time, 10)), most),
    },
    "the time written in another way",
  ),
  // The time.
  "has a tolerance of 340 s": mistake(
    { toleranceSecs: 340 },
    "a signature older than the tolerance",
    "a signature further ahead than the tolerance",
  ),
  "lets a time pass that is no number": mistake(
    { isTime: () => true, isFresh: (time, most) => !(Math.abs(Date.now() / 1000 - Number(time)) > most) },
    "a signed time that is no Unix time",
  ),
  "skips the tolerance at time 0": mistake(
    { isFresh: (time, most) => Number(time) === 0 || correct.isFresh(time, most) },
    "a signed time that is no Unix time",
  ),
  "takes milliseconds too": mistake(
    {
      isTime: (time) => /^\d+$/.test(time),
      isFresh: (time, most) => correct.isFresh(time.length > 11 ? String(Number(time) / 1000) : time, most),
    },
    "a signed time that is no Unix time",
  ),
  // The secret.
  "accepts a retired secret": mistake(
    { secrets: [...accepted, secrets.retiredSecret] },
    "a secret of an earlier rotation",
  ),
  "accepts the demo's secret": mistake({ secrets: [...accepted, demo.signingSecret] }, "a secret of an example"),
  "has an empty secret for unknown destinations": mistake(
    { secretsOf: ({ event }, all) => ("destinationId" in (event ?? {}) ? all : [""]) },
    "a forgery for another destination",
  ),
  // Ways around.
  "takes PUT": mistake(
    { isPost: ({ method }) => method === "POST" || method === "PUT" },
    "other methods with a genuine signature",
  ),
  "follows a method override": mistake(
    { isPost: ({ method, headers }) => method === "POST" || headers["x-http-method-override"] === "POST" },
    "a GET request that claims to be a POST",
  ),
  "does not verify chunked bodies": unless(
    ({ request }) => request.headers["transfer-encoding"] === "chunked",
    "a forgery in chunks",
    "the second chunk of a body changed",
  ),
  "does not verify other content types": unless(
    ({ request }) => !request.headers["content-type"]?.startsWith("application/json"),
    "a forgery of another content type",
  ),
  "does not verify other event types": unless(
    ({ event }) => !String(event?.type).startsWith("transfer."),
    "a forgery of another event type",
    "a forgery with markup",
  ),
  "does not verify test events": unless(({ event }) => event?.test === true, "a forgery of another event type"),
  "verifies one exact path": unless(
    ({ request }) => request.url !== "/offers",
    "an unsigned offer at another form of the path",
  ),
  "trusts X-Forwarded-For": unless(
    ({ request }) => request.headers["x-forwarded-for"] === "127.0.0.1",
    "a forgery that claims to come from inside",
  ),
  "inflates before it verifies, and verifies no compressed body": unless(
    ({ request }) => request.headers["content-encoding"] !== undefined,
    "a forgery of another content type",
  ),
  // Copies.
  "lets a forged copy use up an id": {
    // Whether one comes before an offer that is sent at the same time.
    isByChance: true,
    ...mistake(
      {
        before(delivery, known) {
          if (known.has(idOf(delivery))) return undefined;
          const refused = Promise.resolve({ status: 400, body: "refused" });
          if (!delivery.header.includes("v1=")) known.set(idOf(delivery), refused);
          return undefined;
        },
      },
      "an offer after forged copies of it",
    ),
  },
  "answers known ids before it verifies": mistake(
    { before: (delivery, known) => known.get(idOf(delivery)) },
    forgedCopies,
  ),
  "recognizes copies by their bytes": mistake(
    { keyOf: ({ body }) => body.toString() },
    "the same event written in another way",
  ),
  "compares ids by a prefix": mistake(
    { keyOf: (delivery) => idOf(delivery).slice(0, 12) },
    "events whose ids are nearly the same",
  ),
  "compares ids by their end": mistake(
    { keyOf: (delivery) => idOf(delivery).slice(-12) },
    "events whose ids are nearly the same",
  ),
  "remembers 30 events": mistake({ forget: remembering(30) }, "a copy after all other offers"),
  "remembers for a second": mistake(
    { forget: (known, key) => void setTimeout(() => known.delete(key), 1000).unref() },
    "a copy after all other offers",
  ),
  // Answers.
  "shows the type in a page": mistake(
    { refusal: (_reason, delivery) => ({ body: `<p>No event ${delivery?.event?.type}</p>`, type: "text/html" }) },
    "markup in a page",
  ),
  "answers with the secret in Base64": mistake(
    { refusal: () => ({ body: `key ${Buffer.from(secrets.secret).toString("base64")}` }) },
    "the signing secret",
  ),
  "answers with the start of the expected signature": mistake(
    { refusal: (reason, _delivery, expected) => ({ body: `${reason} Expected ${expected.slice(0, 16)}…` }) },
    "the expected signature",
  ),
};
