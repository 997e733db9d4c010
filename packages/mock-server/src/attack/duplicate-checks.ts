// Copies of events, as platforms send them. Each copy must get the first one's answer, and the event is handled once.
import { realNow } from "@call-transfer/backend/unstable";
import { type Check, check, type Lab, type Problem } from "./check.ts";
import { deliverAndHangUp, type Reply } from "./deliver.ts";
import { expectAccepted } from "./genuine-checks.ts";
import { remember } from "./handled-counts.ts";
import { describe, isAccepted, type Offer } from "./sender.ts";

const copies = 20;

export function duplicates(
  name: string,
  run: (lab: Lab) => Promise<readonly Problem[]>,
  fix = remember,
  cites = "A-32",
): Check {
  return check("duplicates", [name, cites, fix], run);
}

/** Compares the answers to the copies of an offer with the first one. */
export function compared(lab: Lab, { id }: Offer, [first, ...others]: readonly [Reply, ...Reply[]]): Problem[] {
  lab.expectHandled(id, isAccepted(first) ? "once" : "at most once");
  if (!isAccepted(first))
    return [{ kind: "refused", problem: `The first copy got ${describe(first)}.`, replies: [first] }];
  const refused = others.find((reply) => !isAccepted(reply));
  if (refused !== undefined) {
    const problem = `The first copy got ${describe(first)}, and another ${describe(refused)}. That declines an accepted offer.`;
    return [{ kind: "refused", problem, replies: [first, refused] }];
  }
  const other = others.find(({ status, body }) => status !== first.status || body !== first.body);
  if (other === undefined) return [];
  const difference = other.status === first.status ? "with another body" : `and another ${describe(other)}`;
  const problem = `The first copy got ${describe(first)}, ${difference}.`;
  return [{ kind: "other", problem, replies: [first, other] }];
}

/** The checks of copies. Without counts, they see only the answers. */
export const duplicateChecks: readonly Check[] = [
  duplicates("the same bytes again", async (lab) => {
    const offer = lab.sender.offer();
    const signature = lab.sender.sign(offer.body);
    const first = await lab.sender.send(offer, { signature });
    return compared(lab, offer, [first, await lab.sender.send(offer, { signature })]);
  }),
  duplicates("the same event with a new signature", async (lab) => {
    const offer = lab.sender.offer();
    const first = await lab.sender.send(offer, { signature: lab.sender.sign(offer.body, { ageSecs: 2 }) });
    return compared(lab, offer, [first, await lab.sender.send(offer)]);
  }),
  duplicates(`${copies} copies at the same time`, async (lab) => {
    const offer = lab.sender.offer();
    const signature = lab.sender.sign(offer.body);
    const first = lab.sender.send(offer, { signature });
    const others = Array.from({ length: copies - 1 }, () => lab.sender.send(offer, { signature }));
    return compared(lab, offer, [await first, ...(await Promise.all(others))]);
  }),
  duplicates(
    "a copy after the sender hung up",
    async (lab) => {
      const { sender } = lab;
      const offer = sender.offer();
      const [message, url] = [sender.message(offer, {}), sender.nextUrl()];
      sender.record(message, await deliverAndHangUp(url, message, sender.options.timeoutMs), url);
      return expectAccepted(lab, offer);
    },
    "Finish an event whose sender hung up, and give its copy that answer.",
  ),
  duplicates(
    "two events of one transfer",
    async (lab) => {
      // The payload may name the destination that the app recognizes.
      const same = { transferId: lab.sender.id(), destinationId: lab.sender.id(), ...lab.sender.options.payload };
      const [one, two] = [lab.sender.offer(undefined, same), lab.sender.offer(undefined, same)];
      return [...(await expectAccepted(lab, one)), ...(await expectAccepted(lab, two))];
    },
    "Recognize a copy by the event's id alone. Events of one transfer are not copies.",
  ),
  duplicates(
    "an older event after a newer one",
    async (lab) => {
      const createdAt = new Date(realNow() - 20_000).toISOString();
      const [newer, older] = [lab.sender.offer(), lab.sender.offer(undefined, { createdAt })];
      return [...(await expectAccepted(lab, newer)), ...(await expectAccepted(lab, older))];
    },
    "Accept events in any order. Do not compare createdAt with the last one's.",
  ),
];
