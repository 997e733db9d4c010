// Searches the answers for what an attacker can use.
import { signatureHeader } from "@call-transfer/backend/unstable";
import { type Check, check, type Lab } from "./check.ts";
import type { SentDelivery } from "./sender.ts";

const fix = "Answer forgeries with a fixed text. Write the reason to the log. In Express, set NODE_ENV=production.";

function leak(name: string, leaked: string, isLeaked: (exchange: SentDelivery, lab: Lab) => boolean): Check {
  return check("leaks", [name, "§6", fix], async (lab) => {
    const found = lab.sender.exchanges.find((exchange) => isLeaked(exchange, lab));
    if (found === undefined) return [];
    const problem = `The answer to the check "${found.check}" (status ${found.reply.status}) contains ${leaked}.`;
    return [{ kind: "leaked", problem }];
  });
}

const secretsOf = ({ sender, previousSecret }: Lab) =>
  previousSecret === undefined ? [sender.options.secret] : [sender.options.secret, previousSecret];

const textOf = ({ reply }: SentDelivery) => `${reply.headers}\n${reply.body}`;

/** Digests that would have made the message genuine, except those that it was sent with. */
function expectedDigests({ signature, body }: SentDelivery, secrets: readonly string[]): string[] {
  const times = [...signature.matchAll(/t=(\d{1,12})(?=,|$)/g)].map(([, time]) => Number(time));
  return times
    .flatMap((time) =>
      signatureHeader(body, secrets, time * 1000)
        .split(",v1=")
        .slice(1),
    )
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
    secretsOf(lab).some((secret) => textOf(exchange).includes(secret)),
  ),
  leak("the expected signature", "the signature that the forgery should have had", (exchange, lab) =>
    expectedDigests(exchange, secretsOf(lab)).some((expected) => textOf(exchange).includes(expected)),
  ),
  leak("a stack trace", "a stack trace", (exchange) => trace.test(textOf(exchange))),
  leak("the path of a file", "the path of a file", (exchange) => {
    // The receiver may name its own address.
    const ownPath = new URL(exchange.url).pathname;
    return [...textOf(exchange).replaceAll(linked, "").matchAll(path)].some(([found]) => !found.endsWith(ownPath));
  }),
];
