// Offers as the platform may send them. A receiver must accept each.
import { type About, type Check, check, type Lab, type Problem, type Requirement } from "./check.ts";
import { describe, isAccepted, type Offer, type Sending } from "./sender.ts";

const atOnce = 20;

const rawBody = "Verify the bytes as they were received. Do not parse the body and write it again.";
const bothSignatures = "Accept the offer if any of the v1 values verifies. During a rotation there are two.";
const byName = "Split the header at the commas, and find the parts by their names. Ignore names that you do not know.";

/** The first check. If it fails, the others can say nothing. */
export const plainOffer = "an offer as the platform sends it";

export async function expectAccepted(lab: Lab, offer: Offer, sending: Sending = {}): Promise<Problem[]> {
  const reply = await lab.sender.send(offer, sending);
  lab.expectHandled(offer.id, isAccepted(reply) ? "once" : "at most once");
  return isAccepted(reply)
    ? []
    : [{ kind: "refused", problem: `A genuine offer got ${describe(reply)}.`, replies: [reply] }];
}

function genuine(about: About, make: (lab: Lab) => { offer: Offer; sending?: Sending }, requires?: Requirement): Check {
  const run = (lab: Lab) => {
    const { offer, sending } = make(lab);
    return expectAccepted(lab, offer, sending);
  };
  return check("genuine", about, run, requires);
}

/** An offer whose text begins with more fields. */
const withText = (text: string) => (fields: object) => `{${text},${JSON.stringify(fields).slice(1)}`;

const written = (name: string, write: (fields: object) => string): Check =>
  genuine([name, "A-31", rawBody], ({ sender }) => ({ offer: sender.offer(write) }));

const signed = (about: About, sign: (lab: Lab, offer: Offer) => string, requires?: Requirement): Check =>
  genuine(
    about,
    (lab) => {
      const offer = lab.sender.offer();
      return { offer, sending: { signature: sign(lab, offer) } };
    },
    requires,
  );

/** The `t=` part and the `v1=` parts of a header. */
const partsOf = (header: string) => header.split(",") as [string, ...string[]];

/** How far a signature's time may be from now with time to spare for a slow machine. */
const withinTolerance = (toleranceSecs: number) => toleranceSecs - Math.min(30, toleranceSecs / 2);

const notAscii = "Zoë, 東京, 🙂";

/** The bytes of a body, cut in the middle of a character. */
function cutInCharacter(body: string): readonly Uint8Array[] {
  const bytes = Buffer.from(body);
  const cut = bytes.indexOf(Buffer.from("🙂")) + 2;
  return [bytes.subarray(0, cut), bytes.subarray(cut)];
}

/** Many offers together. How long they take also says how a slow receiver can be attacked. */
export const atTheSameTime = check(
  "genuine",
  [
    `${atOnce} offers at the same time`,
    "A-32",
    "Accept each offer on its own. Do not hold a lock that all offers share.",
  ],
  async (lab) => {
    const offers = Array.from({ length: atOnce }, () => lab.sender.offer());
    const problems = await Promise.all(offers.map((offer) => expectAccepted(lab, offer)));
    return problems.flat().slice(0, 1);
  },
);

export const genuineChecks: readonly Check[] = [
  written("JSON with spaces and line breaks", (fields) => JSON.stringify(fields, null, 2)),
  written("JSON with keys in another order", withText('"2":"second","1":"first"')),
  written("JSON with escapes", withText('"note":"caf\\u00e9 \\/ \\u0041"')),
  written("JSON with characters outside ASCII", withText(`"note":${JSON.stringify(notAscii)}`)),
  written("JSON with large and unusual numbers", withText('"amount":12345678901234567890,"rate":1.0,"count":1e2')),
  genuine(
    [
      "an offer of 20 kB",
      "A-30",
      "Sign and read the whole body: an event may have more fields. Refuse it from 1 MB on.",
    ],
    ({ sender }) => ({ offer: sender.offer(undefined, { note: "x".repeat(20_000) }) }),
  ),
  check(
    "genuine",
    ["an event of another type", "A-30", "Verify every event. Answer 2xx to types that you do not handle."],
    async (lab) => {
      const offer = lab.sender.offer(undefined, { type: "transfer.attack_test" });
      const problems = await expectAccepted(lab, offer);
      // The app may pass over it.
      lab.expectHandled(offer.id, "at most once");
      return problems;
    },
  ),
  genuine(
    ["a content type with a charset", "§6", "Do not compare the content type. Read the raw body of every POST."],
    ({ sender }) => ({ offer: sender.offer(), sending: { contentType: "application/json; charset=utf-8" } }),
  ),
  ...["service-signature", "SERVICE-SIGNATURE"].map((headerName) =>
    genuine(
      [`the header name ${headerName}`, "§6.1", "Compare header names without regard to case."],
      ({ sender }) => ({ offer: sender.offer(), sending: { headerName } }),
    ),
  ),
  signed(["two signatures, the first with the secret", "§6.2", bothSignatures], ({ sender }, { body }) =>
    sender.sign(body, { secrets: [sender.options.secret, `${sender.id()}`] }),
  ),
  signed(["two signatures, the second with the secret", "§6.2", bothSignatures], ({ sender }, { body }) =>
    sender.sign(body, { secrets: [`${sender.id()}`, sender.options.secret] }),
  ),
  signed(
    ["two signatures, current and previous", "§6.2", bothSignatures],
    ({ sender, previousSecret = "" }, { body }) =>
      sender.sign(body, { secrets: [sender.options.secret, previousSecret] }),
    "previousSecret",
  ),
  signed(
    ["a signature with the previous secret alone", "§6.2", "Verify with the current secret and with the previous one."],
    ({ sender, previousSecret = "" }, { body }) => sender.sign(body, { secrets: [previousSecret] }),
    "previousSecret",
  ),
  signed(["a part of an unknown scheme", "§6.1", byName], ({ sender }, { body }) => {
    const [time, ...signatures] = partsOf(sender.sign(body));
    return [time, "v0=0123", ...signatures, "v2=abc"].join(",");
  }),
  signed(["the parts of the header in another order", "§6.1", byName], ({ sender }, { body }) => {
    const [time, ...signatures] = partsOf(sender.sign(body));
    return [...signatures, time].join(",");
  }),
  signed(
    ["a signature almost as old as allowed", "A-31", "Accept a time that differs by up to the tolerance."],
    ({ sender, toleranceSecs }, { body }) => sender.sign(body, { ageSecs: withinTolerance(toleranceSecs) }),
  ),
  signed(
    [
      "a signature almost as far ahead as allowed",
      "A-31",
      "Accept a time that differs by up to the tolerance, in both directions.",
    ],
    ({ sender, toleranceSecs }, { body }) => sender.sign(body, { ageSecs: -withinTolerance(toleranceSecs) }),
  ),
  genuine(
    [
      "a chunked body, cut within a character",
      "A-31",
      "Collect the body's chunks as bytes. Do not turn each into text.",
    ],
    ({ sender }) => {
      const offer = sender.offer(undefined, { note: notAscii });
      return { offer, sending: { parts: cutInCharacter(offer.body) } };
    },
  ),
  genuine(
    ["a body that arrives slowly, in two parts", "A-32", "Wait for the end of the body before you verify."],
    ({ sender }) => {
      const offer = sender.offer();
      const bytes = Buffer.from(offer.body);
      return { offer, sending: { parts: [bytes.subarray(0, 40), bytes.subarray(40)], pauseMs: 50 } };
    },
  ),
  atTheSameTime,
];
