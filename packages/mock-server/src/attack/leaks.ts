// Searches the answers for what an attacker can use, and keeps secrets out of the report.
import { webhookSignature } from "@call-transfer/spec";
import type { Result } from "./report.ts";
import { digest, type Exchange } from "./sender.ts";

type Find = (answer: string, exchange: Exchange) => boolean;

/** Stack traces of Node, Express' pages and Python. */
const trace = /(?:\n|&nbsp;|<br>)\s*at .{1,200}:\d+:\d+|Traceback \(most recent call last\)/;
const fix = "Answer forgeries with a fixed text. Write the reason to the log. In Express, set NODE_ENV=production.";

/** Searches the answers to all deliveries. */
export function findLeaks(exchanges: readonly Exchange[], secrets: readonly string[]): readonly Result[] {
  const leaks: readonly (readonly [name: string, find: Find])[] = [
    ["a signing secret", (answer) => formsOf(secrets).some((form) => answer.includes(form))],
    ["the expected signature", (answer, one) => digestsOf(one, secrets).some((start) => answer.includes(start))],
    ["a stack trace", (answer) => trace.test(answer)],
  ];
  return leaks.map(([name, find]) => {
    const exchange = exchanges.find((one) => find(`${one.reply.headers}\n${one.reply.body}`, one));
    const problem = `The answer to "${exchange?.check}" (status ${exchange?.reply.status}) contains ${name}.`;
    return {
      check: { name, group: "leaks", reference: "§6", fix },
      problems: exchange === undefined ? [] : [{ kind: "leaked", problem, exchange }],
    };
  });
}

/** Starts of digests that would have made the delivery genuine, except those that it was sent with. */
function digestsOf({ headers, body }: Exchange, secrets: readonly string[]): string[] {
  const signature = headers[webhookSignature.header] ?? "";
  const times = [...signature.matchAll(/t=(\d{1,12})(?=,|$)/g)].map(([, time = ""]) => time);
  return times
    .flatMap((time) => secrets.map((secret) => digest(body, secret, time)))
    .flatMap((hex) => [hex.slice(0, 12), Buffer.from(hex, "hex").toString("base64").slice(0, -1)])
    .filter((start) => !signature.includes(start));
}

/** The forms in which an answer may quote secrets, the longest first: another one may be its start. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const encodings = ["base64", "base64url", "hex"] as const;
  const forms = secrets.flatMap((secret) => [
    ...[secret, encodeURIComponent(secret)],
    ...encodings.map((encoding) => Buffer.from(secret).toString(encoding).replace(/=+$/, "")),
  ]);
  return forms.sort((one, other) => other.length - one.length);
}

/** Replaces secrets in a text. */
export function redact(text: string, secrets: readonly string[]): string {
  return formsOf(secrets).reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}
