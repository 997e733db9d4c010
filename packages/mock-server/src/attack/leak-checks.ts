// Searches the answers for what an attacker can use.
import { signatureHeader } from "@call-transfer/backend/unstable";
import { markup } from "./bypass-checks.ts";
import { type Check, check, type Lab } from "./check.ts";
import { formsOf } from "./evidence.ts";
import type { Severity } from "./report.ts";
import type { SentDelivery } from "./sender.ts";

const fix = "Answer forgeries with a fixed text. Write the reason to the log. In Express, set NODE_ENV=production.";

function leak(
  name: string,
  leaked: string,
  isLeaked: (exchange: SentDelivery, lab: Lab) => boolean,
  severity: Severity = "high",
): Check {
  return check("leaks", [name, "§6", fix, severity], async (lab) => {
    const found = lab.sender.exchanges.find((exchange) => isLeaked(exchange, lab));
    if (found === undefined) return [];
    const problem = `The answer to the check "${found.check}" (status ${found.reply.status}) contains ${leaked}.`;
    return [{ kind: "leaked", problem, replies: [found.reply] }];
  });
}

const secretsOf = ({ sender, previousSecret, retiredSecret }: Lab) =>
  [sender.options.secret, previousSecret, retiredSecret].filter((secret) => secret !== undefined);

const textOf = ({ reply }: SentDelivery) => `${reply.headers}\n${reply.body}`;

/** How much of a digest is no accident. Logs and errors often show the start alone. */
const startOfDigest = 12;

/** Starts of digests that would have made the message genuine, except those that it was sent with. */
function expectedDigests({ signature, body }: SentDelivery, secrets: readonly string[]): string[] {
  const times = [...signature.matchAll(/t=(\d{1,12})(?=,|$)/g)].map(([, time]) => Number(time));
  return times
    .flatMap((time) =>
      signatureHeader(body, secrets, time * 1000)
        .split(",v1=")
        .slice(1),
    )
    .flatMap((digest) => [digest.slice(0, startOfDigest), Buffer.from(digest, "hex").toString("base64").slice(0, -1)])
    .filter((digest) => !signature.includes(digest));
}

// Of Node, Express' pages and Python.
const trace = /(?:\n|&nbsp;|<br>)\s*at .{1,200}:\d+:\d+|Traceback \(most recent call last\)/;
const path = /node_modules[/\\]|file:\/\/\/|\b[A-Z]:\\|\/[\w.@-]+\/[\w./@-]+\.(?:[cm]?[jt]sx?|py|rb|go|java|php)\b/g;
// The addresses that a page links to are not paths of files.
const linked = /\b(?:src|href)="[^"]*"/g;

/** The checks of the answers to all deliveries before them. */
export const leakChecks: readonly Check[] = [
  leak("the signing secret", "a signing secret", (exchange, lab) =>
    secretsOf(lab)
      .flatMap(formsOf)
      .some((form) => textOf(exchange).includes(form)),
  ),
  leak("the expected signature", "the signature that the forgery should have had", (exchange, lab) =>
    expectedDigests(exchange, secretsOf(lab)).some((expected) => textOf(exchange).includes(expected)),
  ),
  leak("a stack trace", "a stack trace", (exchange) => trace.test(textOf(exchange)), "low"),
  leak(
    "the path of a file",
    "the path of a file",
    (exchange, { sender }) => {
      const own = sender.options.urls.map((url) => new URL(url).pathname);
      // Pages at other addresses are the framework's. They name its scripts.
      if (!own.includes(new URL(exchange.url).pathname)) return false;
      // The receiver may name its own address.
      const found = textOf(exchange).replaceAll(linked, "").matchAll(path);
      return [...found].some(([name]) => !own.some((ownPath) => name.endsWith(ownPath)));
    },
    "low",
  ),
  leak(
    "markup in a page",
    "the markup that was sent, in a page of HTML",
    ({ reply }) => /^content-type\n.*html/im.test(reply.headers) && reply.body.includes(markup),
    "medium",
  ),
];
