// Mistakes of receivers, what the attack must call each, and what it must advise.
import { timingSafeEqual } from "node:crypto";
import { demo } from "@call-transfer/backend";
import type { Delivery, Steps } from "./receiver.ts";

export const secrets = { secret: "secret-of-today", previousSecret: "secret-of-yesterday" };
const accepted = Object.values(secrets);

interface PlantedBug {
  readonly steps: Partial<Steps>;
  /** Titles of findings, and a part of the advice. These and no others, unless other digests match by chance. */
  readonly findings: Readonly<Record<string, string>>;
  readonly isByChance?: boolean;
}

const bug = (steps: Partial<Steps>, findings: PlantedBug["findings"], more: Partial<PlantedBug> = {}): PlantedBug => ({
  ...{ steps: { secrets: accepted, ...steps }, findings },
  ...more,
});

/** Compares texts of equal length in a careless way. */
const compares = (isSame: (given: string, expected: string) => boolean): PlantedBug =>
  bug(
    { isSame: (given, expected) => given.length === expected.length && isSame(given, expected) },
    { "a changed signature": "Compare the whole v1 value with timingSafeEqual()" },
    { isByChance: true },
  );

const idOf = ({ event }: Delivery) => String(event?.id);

/** Does not verify deliveries of a kind. */
const trusts = (isExempt: (delivery: Delivery) => boolean, ...checks: readonly string[]): PlantedBug =>
  bug(
    { needsSignature: (delivery) => !isExempt(delivery) },
    Object.fromEntries(checks.map((check) => [check, "Verify every POST to this address"])),
  );

const remember = "Remember each event's id and answer for a day, where all processes see them.";
const fixedText = "Answer forgeries with a fixed text.";
let deliveries = 0;

export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  // One cause of many failures.
  "checks no signature": bug(
    { needsSignature: () => false },
    { "No signature is checked": "Verify the signature of the received bytes first" },
  ),
  "looks whether there is a signature": bug(
    { needsSignature: ({ header }) => header === "" },
    { "No signature is checked": "Verify the signature of the received bytes first" },
  ),
  "answers before it verifies": bug(
    { answersFirst: true },
    { "No signature is checked": "Answer and handle after it." },
    // What else is found depends on how much of a body had arrived at the answer.
    { isByChance: true },
  ),
  "has no tolerance": bug({ isFresh: () => true }, { "a time beyond the tolerance": "Refuse any other." }),
  "compares the header as text": bug(
    {
      isWholeHeader: (header, expected) => {
        return expected.some((one) => timingSafeEqual(Buffer.from(header), Buffer.from(one)));
      },
    },
    {
      "The header is compared as a whole": "find t and each v1 by their names",
      "Malformed deliveries crash the receiver": "catch what throws",
    },
  ),
  "verifies the parsed body": bug(
    { signedBody: (body) => JSON.stringify(JSON.parse(body.toString())) },
    { "The parsed body is verified, not the received bytes": "Read the raw body" },
    // What is no JSON makes it crash, too.
    { isByChance: true },
  ),
  "does not recognize copies": bug({ keyOf: () => String(deliveries++) }, { "Copies are not recognized": remember }),
  "answers 409 to copies": bug(
    { repeat: async () => ({ status: 409, body: "" }) },
    { "Copies are refused": "Give a copy the answer of the first." },
  ),

  // The signature.
  "compares the first 16 digits": compares((a, b) => a.slice(0, 16) === b.slice(0, 16)),
  "overwrites the difference": compares((a, b) => a.at(-1) === b.at(-1)),
  "compares as numbers": compares((a, b) => Number(`0x${a}`) === Number(`0x${b}`)),
  "verifies the first v1 only": bug(
    { signatures: (all) => all.slice(0, 1) },
    { "two signatures": "if any of the v1 values verifies" },
  ),
  // What is signed.
  "does not verify bodies over 64 kB": bug(
    { needsSignature: ({ body }) => body.length <= 65_536 },
    { "a changed body": "all bytes of the body" },
  ),
  "signs the first 1,024 bytes": bug(
    { signedBody: (body) => body.subarray(0, 1024) },
    { "an offer of 20 kB": "read the whole body" },
  ),
  // The secret.
  "refuses the previous secret": bug(
    { secrets: [secrets.secret] },
    { "the previous secret": "with the current secret and with the previous one" },
  ),
  "accepts the demo's secret": bug(
    { secrets: [...accepted, demo.signingSecret] },
    { "a secret of an example": "Remove the secrets of examples" },
  ),
  "has an empty secret for unknown destinations": bug(
    { secretsOf: ({ event }, all) => ("destinationId" in (event ?? {}) ? all : [""]) },
    { "a forgery for another destination": "Compute no signature without one." },
  ),
  // Ways around.
  "follows a method override": bug(
    { isPost: ({ method, headers }) => method === "POST" || headers["x-http-method-override"] === "POST" },
    { "another method": "ignore headers that name another one" },
  ),
  "does not verify chunked bodies": bug(
    { needsSignature: ({ request }) => request.headers["transfer-encoding"] !== "chunked" },
    { "a forgery in chunks": "Verify every POST", "a changed body": "all bytes of the body" },
  ),
  "does not verify other content types": trusts(
    ({ request }) => !request.headers["content-type"]?.startsWith("application/json"),
    "a forgery of another content type",
  ),
  "does not verify other event types": trusts(
    ({ event }) => !String(event?.type).startsWith("transfer."),
    "a forgery of another event type",
  ),
  "trusts X-Forwarded-For": trusts(
    ({ request }) => request.headers["x-forwarded-for"] === "127.0.0.1",
    "a forgery that claims to come from inside",
  ),
  // Copies.
  "lets a forged copy use up an id": bug(
    {
      before(delivery, known) {
        const refused = Promise.resolve({ status: 400, body: "refused" });
        if (!known.has(idOf(delivery)) && !delivery.header.includes("v1=")) known.set(idOf(delivery), refused);
        return undefined;
      },
    },
    { "an offer with forged copies": "only after its signature is verified" },
  ),
  "answers known ids before it verifies": bug(
    { before: (delivery, known) => known.get(idOf(delivery)) },
    { "an offer with forged copies": "only after its signature is verified" },
  ),
  "recognizes copies by their bytes": bug(
    { keyOf: ({ body }) => body.toString() },
    { "the same event written in another way": "by the event's whole id alone" },
  ),
  "compares ids by a prefix": bug(
    { keyOf: (delivery) => idOf(delivery).slice(0, 12) },
    { "events that are nearly the same": "by the event's whole id alone" },
  ),
  "remembers 30 events": bug(
    {
      forget(known) {
        const [oldest] = known.keys();
        if (known.size > 30 && oldest !== undefined) known.delete(oldest);
      },
    },
    { "a copy after all other offers": remember },
  ),
  // Bodies and answers.
  "reads a body of any length": bug(
    { maxBodyBytes: Number.POSITIVE_INFINITY },
    { "a forged body of 64 MB": "Stop reading at 1 MB" },
  ),
  "answers with the stack": bug({ refusal: (error) => String(error.stack) }, { "a stack trace": fixedText }),
  "answers with the secret in Base64": bug(
    { refusal: () => `key ${Buffer.from(secrets.secret).toString("base64")}` },
    { "a signing secret": fixedText },
  ),
  "answers with the start of the expected signature": bug(
    { refusal: (error, expected) => `${error.message} Expected ${expected.slice(0, 16)}…` },
    { "the expected signature": fixedText },
  ),
};
