import { errorCodes, type OperationDescription, operations } from "@call-transfer/spec";
import { InputError } from "../model/errors/input-error.ts";
import { suggestion } from "../model/values/spelling.ts";
import type { Fault, FaultAction, FaultMatch, FaultWhen, WebhookFault, WebhookFaultAction, Weekday } from "./fault.ts";
import { assertFault, checkPath } from "./fault-check.ts";
import { countAfter, requestWords, statusOrCode, Words, webhookWords } from "./fault-words.ts";
import { weekdays } from "./match-fault.ts";

type Step = FaultAction | WebhookFaultAction | "pass";
type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] };

/** What has been read of a text so far. */
interface Draft {
  readonly words: Words;
  readonly isOfWebhooks: boolean;
  readonly match: Writable<FaultMatch & WebhookFault["webhooks"]>;
  readonly when: Writable<FaultWhen>;
  readonly steps: Step[];
}

/** Reads words other than actions. Returns whether the next word was one. */
type Reader = (draft: Draft) => boolean;

const requestCriteria = ["header", "query", "body", "sandbox"];
const webhookCriteria = ["destination", "url", "transfer", "sandbox"];
const whenWords = ["10%", "once", "3 times", "always", "nth 2", "on monday", "09:00-17:00", "timeZone Europe/Berlin"];

/**
 * Reads a fault that is written as a text: which requests, what happens, and how often.
 *
 * - `POST /api/v1/calls 503, 503, pass`
 * - `createCall header x-test=slow queue_full 3 times`
 * - `GET * latency 800ms`
 * - `* 503 10%`
 * - `webhooks sign wrongSecret`
 *
 * A fault applies once. A latency, a percentage, days or a time of day apply until the fault is removed. Throws InputError
 * that names the wrong word.
 */
export function parseFault(text: string, known: readonly OperationDescription[] = Object.values(operations)): Fault {
  const words = new Words(text);
  if (words.next === undefined) throw new InputError("", "the text is empty. Write a fault such as createCall 503");
  const isOfWebhooks = words.take("webhooks");
  const draft: Draft = { words, isOfWebhooks, match: {}, when: {}, steps: [] };
  if (!isOfWebhooks) readTarget(draft, known);
  const readers: readonly Reader[] = [readWhen, isOfWebhooks ? readWebhookCriterion : readRequestCriterion, readSteps];
  while (words.next !== undefined) if (!readers.some((read) => read(draft))) throw unknownWord(draft, known);
  const fault = faultOf(draft);
  try {
    assertFault(fault, known);
  } catch (error) {
    throw error instanceof InputError ? new InputError("", error.message) : error;
  }
  return fault;
}

function faultOf({ isOfWebhooks, match, when: { ...when }, steps }: Draft): unknown {
  const [first, ...others] = steps;
  if (first === undefined) throw new InputError("", `it does not say what happens. Add ${actionsOf(isOfWebhooks)}`);
  const isLatency = others.length === 0 && typeof first === "object" && "latency" in first;
  const isLasting = isLatency || [when.probability, when.days, when.from].some((part) => part !== undefined);
  if (when.times === undefined && isLasting) when.times = null;
  const hasWhen = Object.keys(when).length > 0;
  const hasMatch = isOfWebhooks || Object.keys(match).length > 0;
  return {
    ...(hasMatch && { [isOfWebhooks ? "webhooks" : "match"]: match }),
    ...(hasWhen && { when }),
    do: others.length === 0 ? first : steps,
  };
}

/** Reads an operation, a method with or without a path, a path, or `*`. Without one, all requests match. */
function readTarget({ words, match }: Draft, known: readonly OperationDescription[]): void {
  if (words.take("*")) return;
  const { next = "" } = words;
  const operation = known.find(({ id }) => id.toLowerCase() === next.toLowerCase());
  const method = known.find((one) => one.method === next.toUpperCase())?.method;
  if (operation !== undefined) match.operationId = operation.id;
  if (method !== undefined) match.method = method;
  if (operation !== undefined || method !== undefined) words.skip();
  if (operation !== undefined || (method !== undefined && words.take("*"))) return;
  const path = words.next;
  if (!path?.startsWith("/")) return;
  checkPath(path, method, known);
  match.path = path;
  words.skip();
}

function readRequestCriterion({ words, match }: Draft): boolean {
  if (words.take("sandbox")) match.sandbox = words.after("sandbox", "a name", (next) => next);
  else if (words.take("header")) match.headers = { ...match.headers, ...pairAfter(words, "header", "x-test=slow") };
  else if (words.take("query")) match.query = { ...match.query, ...pairAfter(words, "query", "limit=5") };
  else if (words.take("body")) match.body = { ...match.body, ...pairAfter(words, "body", "toNumber=+1*") };
  else return false;
  return true;
}

function readWebhookCriterion({ words, match }: Draft): boolean {
  if (words.take("sandbox")) match.sandbox = words.after("sandbox", "a name", (next) => next);
  else if (words.take("destination")) match.destinationId = words.after("destination", "an id", (next) => next);
  else if (words.take("url")) match.url = words.after("url", "an address", (next) => next);
  else if (words.take("transfer")) match.transferId = words.after("transfer", "an id", (next) => next);
  else return false;
  return true;
}

function pairAfter(words: Words, word: string, example: string): Record<string, string> {
  return words.after(word, `a name and a value, such as ${example}`, (next) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(next) ?? [];
    return name === undefined || value === undefined ? undefined : { [name]: value };
  });
}

function readWhen({ words, when }: Draft): boolean {
  const { next = "" } = words;
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(next) ?? [];
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(next) ?? [];
  if (words.take("once")) when.times = 1;
  else if (words.take("always")) when.times = null;
  else if (words.take("nth")) when.nth = countAfter(words, "nth");
  else if (words.take("on")) when.days = daysAfter(words);
  else if (words.take("timeZone"))
    when.timeZone = words.after("timeZone", "an IANA time zone, such as Europe/Berlin", (name) => name);
  else if (words.at(1)?.toLowerCase() === "times") {
    when.times = countAfter(words, "times");
    words.skip();
  } else if (percent !== undefined) {
    when.probability = Number(percent) / 100;
    words.skip();
  } else if (from !== undefined && to !== undefined) {
    [when.from, when.to] = [from, to];
    words.skip();
  } else return false;
  return true;
}

function daysAfter(words: Words): Weekday[] {
  const days: Weekday[] = [];
  do
    days.push(
      words.after("on", `one of ${weekdays.join(", ")}`, (next) => weekdays.find((day) => day === next.toLowerCase())),
    );
  while (words.take(","));
  return days;
}

/** Reads what happens: one action, or several with commas between them. */
function readSteps({ words, isOfWebhooks, steps }: Draft): boolean {
  const step = readStep(words, isOfWebhooks);
  if (step === undefined) return false;
  if (steps.length > 0) throw new InputError("", "there are two actions. Write a comma between the steps of a list");
  steps.push(step);
  while (words.take(",")) {
    const following = readStep(words, isOfWebhooks);
    if (following === undefined)
      throw new InputError(
        "",
        `after a comma comes ${actionsOf(isOfWebhooks)}, or pass${words.next === undefined ? "" : `, and not "${words.next}"`}`,
      );
    steps.push(following);
  }
  return true;
}

function readStep(words: Words, isOfWebhooks: boolean): Step | undefined {
  const { next = "" } = words;
  if (words.take("pass")) return "pass";
  const kinds: ReadonlyMap<string, (words: Words) => Step> = isOfWebhooks ? webhookWords : requestWords;
  for (const [word, read] of kinds) if (words.take(word)) return read(words);
  const plain = isOfWebhooks ? undefined : statusOrCode(next);
  if (plain !== undefined) words.skip();
  return plain;
}

function actionsOf(isOfWebhooks: boolean): string {
  return isOfWebhooks
    ? `one of ${[...webhookWords.keys()].join(", ")}`
    : `a status, an error code or one of ${[...requestWords.keys()].join(", ")}`;
}

function unknownWord({ words, isOfWebhooks, match, steps }: Draft, known: readonly OperationDescription[]): InputError {
  const { next = "" } = words;
  const isFirst = Object.keys(match).length === 0 && steps.length === 0;
  const actions = isOfWebhooks ? [...webhookWords.keys()] : [...requestWords.keys(), ...Object.keys(errorCodes)];
  const criteria = isOfWebhooks ? webhookCriteria : requestCriteria;
  const targets = isFirst && !isOfWebhooks ? ["webhooks", ...known.map(({ id }) => id)] : [];
  const hint = suggestion(next, [...targets, ...actions, ...criteria, "always", "times", "pass"]);
  const parts = [
    ...(targets.length > 0 ? ["requests (createCall, GET, GET /api/v1/calls, *)"] : []),
    `criteria (${criteria.join(", ")})`,
    ...(steps.length === 0
      ? [`what happens (${isOfWebhooks ? "" : "503, queue_full, "}${actionsInShort(isOfWebhooks)})`]
      : []),
    `how often (${whenWords.join(", ")})`,
  ];
  return new InputError("", `"${next}" is not a word of a fault here.${hint || ` Possible are ${parts.join("; ")}.`}`);
}

function actionsInShort(isOfWebhooks: boolean): string {
  return [...(isOfWebhooks ? webhookWords : requestWords).keys()].join(", ");
}
