// Many forgeries of one kind, sent at once.
import { type About, type Check, check, type Lab, type Problem, type Requirement } from "./check.ts";
import type { Reply } from "./deliver.ts";
import { forgeryProblems } from "./forged-checks.ts";
import { isAccepted, type Offer, type Sending } from "./sender.ts";

/** One of several forgeries, and what is special about it. */
export interface Forgery {
  readonly what: string;
  readonly offer: Offer;
  readonly sending: Sending;
}

/** A check that sends forgeries at once, and names those that were accepted. */
export function forgeries(
  about: About,
  make: (lab: Lab) => readonly Forgery[] | Promise<readonly Forgery[]>,
  requires?: Requirement,
): Check {
  return check("forged", about, async (lab) => forgeryFindings(await sendForgeries(lab, await make(lab))), requires);
}

/** A forgery and its answer. */
export type AnsweredForgery = readonly [forgery: Forgery, reply: Reply];

/** Sends forgeries at once, whose events may be those of genuine offers. */
export const sendCopies = (lab: Lab, made: readonly Forgery[]): Promise<readonly AnsweredForgery[]> =>
  Promise.all(made.map(async (forgery) => [forgery, await lab.sender.send(forgery.offer, forgery.sending)] as const));

/** Sends forgeries at once, whose events must not be handled. */
export function sendForgeries(lab: Lab, made: readonly Forgery[]): Promise<readonly AnsweredForgery[]> {
  for (const { offer } of made) lab.expectHandled(offer.id, "never");
  return sendCopies(lab, made);
}

/** One problem for all that were accepted, and one for the first that was not refused properly. */
export function forgeryFindings(answered: readonly AnsweredForgery[]): readonly Problem[] {
  const accepted = answered.filter(([, reply]) => isAccepted(reply));
  const [crashed = []] = answered
    .map(([{ what }, reply]) => forgeryProblems(reply, `A forgery (${what})`))
    .filter(([problem]) => problem?.kind === "other");
  if (accepted.length === 0) return crashed;
  const names = accepted.map(([{ what }]) => what).join(", ");
  const problem = `${accepted.length} of ${answered.length} forgeries got 2xx: ${names}.`;
  return [{ kind: "accepted", problem, replies: accepted.map(([, reply]) => reply) }, ...crashed];
}

/** A header with a signature by another secret, as a forger would write it. */
export const wrongSignature = ({ sender }: Lab, { body }: Offer): string =>
  sender.sign(body, { secrets: [sender.id()] });
