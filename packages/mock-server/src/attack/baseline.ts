// The first check, which all others need.
import { elapsed } from "@call-transfer/backend/unstable";
import { limits } from "@call-transfer/spec";
import { check, type Problem } from "./check.ts";
import type { Reply } from "./deliver.ts";
import { plainOffer } from "./genuine-checks.ts";
import { describe, isAccepted } from "./sender.ts";

const checkAddress =
  "Check the secret and the address. If the app accepts certain events only, give payload, or --payload.";

/** An offer to each address, as the platform sends it. If it fails, the other checks can say nothing. */
export const baseline = check("genuine", [plainOffer, "§6.1", checkAddress], async (lab) => {
  const { sender, previousSecret } = lab;
  const problems: Problem[] = [];
  for (const url of sender.options.urls) {
    const offer = sender.offer();
    const signature = sender.sign(offer.body);
    const reply = await sender.send(offer, { url, signature });
    lab.expectHandled(offer.id, isAccepted(reply) ? "once" : "at most once");
    if (reply.status === undefined && reply.code !== "TIMEOUT") throw new Error(noReceiver(url, reply));
    if (!isAccepted(reply))
      problems.push({
        ...{ kind: "refused", replies: [reply] },
        problem: `An offer signed with the secret got ${describe(reply)}.`,
      });
    else lab.memory.first ??= { offer, signature, reply, at: elapsed() };
  }
  const [problem] = problems;
  if (problem === undefined || previousSecret === undefined) return problems.slice(0, 1);
  const offer = sender.offer();
  const reply = await sender.send(offer, { signature: sender.sign(offer.body, { secrets: [previousSecret] }) });
  if (!isAccepted(reply)) return [problem];
  const fix = `The receiver accepts only the previous secret. Give it the current one too: the previous one ends ${limits.previousSecretOverlapHours} hours after the rotation.`;
  return [{ ...problem, fix }];
});

/** Answers that only a patient attack waits for. */
export const answersInTime = check(
  "genuine",
  ["an answer in time", "A-32", "Answer as soon as the app has decided. Do the rest after the answer."],
  async ({ memory: { first }, timeoutMs }) => {
    if (first === undefined || first.reply.ms <= timeoutMs) return [];
    const took = `${(first.reply.ms / 1000).toFixed(1)} s`;
    const problem = `A plain offer was answered after ${took}. The platform gives it up after ${timeoutMs / 1000} s.`;
    return [{ kind: "refused", problem, replies: [first.reply] }];
  },
);

function noReceiver(url: string, { code, error }: Reply): string {
  if (code === "ECONNREFUSED") return `No receiver is listening at ${url}. Start it, or check the address.`;
  return `The receiver at ${url} does not answer: ${error}. Check the address, and the receiver's log.`;
}
