// Bodies that are too long or do not end.
import { type Check, check } from "./check.ts";
import { deliverWithoutEnd, flood } from "./deliver.ts";
import { expectAccepted } from "./genuine-checks.ts";
import { describe, isAccepted } from "./sender.ts";

const floodMegabytes = 64;
const megabyte = 1024 * 1024;
const surviveAbort =
  "Catch the error of a body whose connection closes before its end. It must not end the process or hold up other offers.";

export const limitChecks: readonly Check[] = [
  check(
    "limits",
    [`a forged body of ${floodMegabytes} MB`, "§6", "Stop reading at 1 MB, answer 413 and close the connection."],
    async ({ sender, note }) => {
      const { options } = sender;
      const offer = sender.offer();
      const signature = sender.sign(offer.body, { secrets: [sender.id()] });
      const message = sender.message(offer, { signature, parts: [] });
      const url = sender.nextUrl();
      const { reply, bytesTaken, tookAll } = await flood(url, message, floodMegabytes * megabyte, options.timeoutMs);
      sender.record(message, reply, url);
      note(`A body of ${floodMegabytes} MB got ${describe(reply)} after ${(bytesTaken / megabyte).toFixed(1)} MB.`);
      if (isAccepted(reply)) return [{ kind: "accepted", problem: `It got ${describe(reply)}.`, replies: [reply] }];
      if (reply.code === "TIMEOUT") return [{ kind: "other", problem: `It got ${describe(reply)}.`, replies: [reply] }];
      // Some servers read the rest and drop it, and then refuse the body for its size.
      if (!tookAll || reply.status === 413) return [];
      const problem = `The receiver read all ${floodMegabytes} MB before it refused the signature.`;
      return [{ kind: "other", problem, replies: [reply] }];
    },
  ),
  check(
    "limits",
    [
      "a body that stops in the middle",
      "A-31",
      "Handle an event only after the whole body has arrived. Do not let one connection hold up the others.",
    ],
    async (lab) => {
      const { sender } = lab;
      const offer = sender.offer();
      lab.expectHandled(offer.id, "never");
      const bytes = Buffer.from(offer.body);
      const headers = { "content-length": String(bytes.length) };
      const message = sender.message(offer, { parts: [bytes.subarray(0, bytes.length / 2)], headers });
      const url = sender.nextUrl();
      const held = deliverWithoutEnd(url, message, sender.options.timeoutMs);
      await held.written;
      const problems = await expectAccepted(lab, sender.offer(), { url });
      const reply = await held.close();
      sender.record(message, reply, url);
      if (isAccepted(reply))
        problems.push({ kind: "accepted", problem: `Half of a body got ${describe(reply)}.`, replies: [reply] });
      const afterwards = await expectAccepted(lab, sender.offer(), { url });
      return [...problems, ...afterwards.map((problem) => ({ ...problem, fix: surviveAbort }))];
    },
  ),
];
