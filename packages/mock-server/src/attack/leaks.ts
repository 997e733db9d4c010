// Searches the answers for what an attacker can use, and keeps secrets out of the report.
import { webhookSignature } from "@call-transfer/spec";
import type { Result, Severity } from "./report.ts";
import { digest, type Exchange } from "./sender.ts";

type Find = (exchange: Exchange, secrets: readonly string[]) => boolean;

/** How much of a digest is no accident. Logs and errors often show the start alone. */
const startOfDigest = 12;
/** Stack traces of Node, Express' pages and Python. */
const trace = /(?:\n|&nbsp;|<br>)\s*at .{1,200}:\d+:\d+|Traceback \(most recent call last\)/;

const leaks: readonly (readonly [name: string, find: Find, severity: Severity])[] = [
  ["a signing secret", (exchange, secrets) => formsOf(secrets).some((form) => textOf(exchange).includes(form)), "high"],
  [
    "the expected signature",
    (exchange, secrets) => expectedDigests(exchange, secrets).some((digest) => textOf(exchange).includes(digest)),
    "high",
  ],
  ["a stack trace", (exchange) => trace.test(textOf(exchange)), "low"],
];

/** Searches the answers to all deliveries. */
export function findLeaks(exchanges: readonly Exchange[], secrets: readonly string[]): readonly Result[] {
  const fix = "Answer forgeries with a fixed text. Write the reason to the log. In Express, set NODE_ENV=production.";
  return leaks.map(([name, find, severity]) => {
    const exchange = exchanges.find((one) => find(one, secrets));
    const problem = `The answer to "${exchange?.check}" (status ${exchange?.reply.status}) contains ${name}.`;
    return {
      check: { name, group: "leaks", reference: "§6", fix, severity },
      problems: exchange === undefined ? [] : [{ kind: "leaked", problem, exchange }],
    };
  });
}

const textOf = ({ reply }: Exchange) => `${reply.headers}\n${reply.body}`;

/** Starts of digests that would have made the delivery genuine, except those that it was sent with. */
function expectedDigests({ headers, body }: Exchange, secrets: readonly string[]): string[] {
  const signature = headers[webhookSignature.header] ?? "";
  const times = [...signature.matchAll(/t=(\d{1,12})(?=,|$)/g)].map(([, time = ""]) => time);
  return times
    .flatMap((time) => secrets.map((secret) => digest(body, secret, time)))
    .flatMap((hex) => [hex.slice(0, startOfDigest), Buffer.from(hex, "hex").toString("base64").slice(0, -1)])
    .filter((start) => !signature.includes(start));
}

/** The forms in which an answer may quote secrets, the longest first: another one may be its start. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret);
    const [base64, base64url] = [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
    return [secret, base64, base64url, bytes.toString("hex"), encodeURIComponent(secret)];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** Returns a function that replaces secrets in a text. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}
