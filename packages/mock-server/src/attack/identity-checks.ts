// Which deliveries are copies of which: by the whole id, after the verification, and for long.
import { elapsed, setTimeout } from "@call-transfer/backend/unstable";
import type { Check, Lab } from "./check.ts";
import { compared, duplicates } from "./duplicate-checks.ts";
import { type Forgery, forgeryFindings, sendCopies, wrongSignature } from "./forgeries.ts";
import { expectAccepted } from "./genuine-checks.ts";
import { describe, isAccepted, type Offer } from "./sender.ts";

const afterVerification = "Look an event up, and remember it, only after its signature is verified.";
const byWholeId = "Compare whole ids. An id that begins or ends like another one is another event.";

/** How long after the first copy the last one comes at least, in milliseconds. */
const memoryMs = 1200;

/** Forgeries with the id of an offer. */
function forgedCopies(lab: Lab, { id, body }: Offer): readonly Forgery[] {
  const { sender } = lab;
  const changed = sender.offer(undefined, { note: "changed" }, id);
  return [
    { what: "unsigned", offer: { id, body }, sending: { signature: null } },
    { what: "with a wrong signature", offer: { id, body }, sending: { signature: wrongSignature(lab, { id, body }) } },
    { what: "with a changed body", offer: changed, sending: { signature: sender.sign(body) } },
  ];
}

/** An id that differs from another one in a single character. */
const changedAt = (id: string, index: number): string =>
  id.slice(0, index) + (id[index] === "0" ? "1" : "0") + id.slice(index + 1);

export const identityChecks: readonly Check[] = [
  duplicates(
    "the same event written in another way",
    async (lab) => {
      const offer = lab.sender.offer();
      const other = { id: offer.id, body: JSON.stringify(JSON.parse(offer.body), null, 1) };
      const first = await lab.sender.send(offer);
      return compared(lab, offer, [first, await lab.sender.send(other)]);
    },
    "Recognize a copy by the event's id, not by its bytes or its signature.",
    "A-30",
  ),
  duplicates(
    "events whose ids are nearly the same",
    async (lab) => {
      const id = lab.sender.id();
      const accept = (one: string) => expectAccepted(lab, lab.sender.offer(undefined, {}, one));
      const first = await accept(id);
      const others = await Promise.all([changedAt(id, 35), changedAt(id, 0), `${id}-2`].map(accept));
      return [...first, ...others.flat()].slice(0, 1);
    },
    byWholeId,
    "A-30",
  ),
  duplicates(
    "an offer after forged copies of it",
    async (lab) => {
      const offer = lab.sender.offer();
      const forged = await sendCopies(lab, forgedCopies(lab, offer));
      return [...forgeryFindings(forged), ...(await expectAccepted(lab, offer))];
    },
    afterVerification,
    "§6",
  ),
  duplicates(
    "an offer among forged copies at the same time",
    async (lab) => {
      const offer = lab.sender.offer();
      const forged = sendCopies(lab, forgedCopies(lab, offer));
      const problems = await expectAccepted(lab, offer);
      return [...forgeryFindings(await forged), ...problems];
    },
    afterVerification,
    "§6",
  ),
  duplicates(
    "forged copies of a handled offer",
    async (lab) => {
      const offer = lab.sender.offer();
      const problems = await expectAccepted(lab, offer);
      if (problems.length > 0) return problems;
      return forgeryFindings(await sendCopies(lab, forgedCopies(lab, offer)));
    },
    afterVerification,
    "§6",
  ),
];

/** A copy of the very first offer, after all others: a short memory has lost it. */
export const lateCopy: Check = duplicates("a copy after all other offers", async (lab) => {
  const { first } = lab.memory;
  if (first === undefined) return [];
  const until = first.at + memoryMs;
  // Timers may fire early.
  while (elapsed() < until) await new Promise((resolve) => setTimeout(resolve, Math.ceil(until - elapsed())));
  const later = lab.sender.exchanges.filter(({ reply }) => isAccepted(reply)).length - 1;
  // Each process must know what another one answered.
  const copies = await Promise.all(
    lab.sender.options.urls.map((url) => lab.sender.send(first.offer, { signature: first.signature, url })),
  );
  const seconds = ((elapsed() - first.at) / 1000).toFixed(1);
  const answers = copies.map(describe).join(" and ");
  lab.note(`A copy of the first offer, ${seconds} s and ${later} accepted deliveries later, got ${answers}.`);
  return compared(lab, first.offer, [first.reply, ...copies]);
});
