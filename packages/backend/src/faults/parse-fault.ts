import { type ErrorCode, errorCodes, type OperationDescription, operations } from "@call-transfer/spec";
import type { FaultMatch, FaultWhen, WebhookFaultAction } from "../generated/models.gen.ts";
import { zStub } from "../generated/schemas.gen.ts";
import { InputError } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import type { Fault, FaultAction, FaultStep, SignatureFault, WebhookFault } from "./fault.ts";
import { assertFault, checkPath } from "./fault-check.ts";

/** The words of a text, read from left to right. A comma is a word. */
class Words {
  #rest: readonly string[];

  constructor(text: string) {
    this.#rest = text.match(/(?:[^\s,"]|"[^"]*")+|,|"/g) ?? [];
    if (this.#rest.includes('"')) throw new InputError("", "a quotation mark is not closed");
  }

  /** The next word, without its quotation marks; undefined at the end. */
  get next(): string | undefined {
    return this.at(0);
  }

  at(index: number): string | undefined {
    return this.#rest[index]?.replaceAll('"', "");
  }

  skip(): void {
    this.#rest = this.#rest.slice(1);
  }

  /** Whether the next word is this one, in any case. If so, goes on. */
  take(word: string): boolean {
    const isNext = this.next?.toLowerCase() === word.toLowerCase();
    if (isNext) this.skip();
    return isNext;
  }

  /** Takes what must follow a word. Throws InputError with an example if it does not fit. */
  after<Value>(word: string, needs: string, read: (next: string) => Value | undefined): Value {
    const { next } = this;
    const value = next === undefined || next === "," ? undefined : read(next);
    if (value === undefined)
      throw new InputError("", `${word} needs ${needs}${next === undefined ? "" : `, and not "${next}"`}`);
    this.skip();
    return value;
  }
}

/** The error codes by the status that they stand for. Other statuses are sent without a body. */
const generalCodes: ReadonlyMap<number, ErrorCode> = new Map(
  Object.entries(errorCodes).flatMap(([code, { generic, mockStatus }]) =>
    generic ? [[mockStatus, code as ErrorCode] as const] : [],
  ),
);

/** How to read the rest of an action, by its first word. */
type ActionWords<Action> = ReadonlyMap<string, (words: Words) => Action>;

const plainRequestWords = [
  "reset",
  "empty",
  "hang",
  "process_then_reset",
  "truncate",
  "slow_body",
  "wrong_content_type",
  "unknown_enum_value",
] as const;

/** The actions of a fault of requests, besides statuses and error codes. */
const requestWords: ActionWords<FaultAction> = new Map<string, (words: Words) => FaultAction>([
  ...plainRequestWords.map((word) => [word, () => word] as const),
  ["latency", (words) => ({ latencyMs: durationAfter(words, "latency", "800ms") })],
  ["rateLimit", (words) => ({ rateLimit: { retryAfterSecs: durationAfter(words, "rateLimit", "5s") / 1000 } })],
]);

/** The actions of a fault of deliveries. */
const webhookWords: ActionWords<WebhookFaultAction> = new Map<string, (words: Words) => WebhookFaultAction>([
  ["truncate", () => "truncate"],
  ["reorder", () => "reorder"],
  ["duplicate", (words) => ({ duplicate: { copies: countAfter(words, "duplicate") } })],
  [
    "retry",
    (words) => {
      const times = countAfter(words, "retry");
      return { retry: { times, afterSecs: durationAfter(words, `retry ${times}`, "5s") / 1000 } };
    },
  ],
  ["delay", (words) => ({ delaySecs: durationAfter(words, "delay", "301s") / 1000 })],
  ["signatureAge", (words) => ({ signatureAgeSecs: durationAfter(words, "signatureAge", "301s") / 1000 })],
  ["sign", (words) => ({ sign: words.after("sign", `one of ${signatures.join(", ")}`, signatureNamed) })],
  ["copyTo", (words) => ({ copyTo: [words.after("copyTo", "an address", (next) => next)] })],
]);

const signatures: readonly SignatureFault[] = ["none", "wrong_secret", "previous_secret", "wrong_first", "reversed"];

function signatureNamed(word: string): SignatureFault | undefined {
  return signatures.find((name) => name.toLowerCase() === word.toLowerCase());
}

/** The action of a status or of an error code; undefined for another word. */
function statusOrCode(word: string): FaultAction | undefined {
  const code = Object.keys(errorCodes).find((name): name is ErrorCode => name === word.toLowerCase());
  if (code !== undefined) return { code };
  if (!/^[2-5]\d\d$/.test(word)) return undefined;
  const general = generalCodes.get(Number(word));
  return general === undefined ? { status: Number(word) } : { code: general };
}

const unitMs: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Takes a duration and returns milliseconds. Without a unit it is milliseconds. */
function durationAfter(words: Words, word: string, example: string): number {
  return words.after(word, `a duration such as ${example}`, (next) => {
    const [, number, unit = ""] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(next) ?? [];
    return number === undefined ? undefined : Number(number) * (unitMs[unit] ?? 1);
  });
}

/** Takes a whole number above 0. */
function countAfter(words: Words, word: string): number {
  return words.after(word, "a whole number from 1", (next) => (/^[1-9]\d*$/.test(next) ? Number(next) : undefined));
}

type Match = FaultMatch & WebhookFault["webhooks"];

/** What has been read of a text so far. */
interface Draft {
  readonly words: Words;
  readonly isWebhookFault: boolean;
  readonly match: Match;
  readonly when: FaultWhen;
  readonly steps: readonly FaultStep[];
}

/** A criterion: its field, and what must follow its word. A pair is a name and a value. */
interface Criterion {
  readonly field: keyof Match;
  readonly needs: string;
  readonly isPair?: true;
}

const pair = (field: keyof Match, example: string): Criterion => ({
  field,
  needs: `a name and a value, such as ${example}`,
  isPair: true,
});
const requestCriteria: Readonly<Record<string, Criterion>> = {
  header: pair("headers", "x-test=slow"),
  query: pair("query", "limit=5"),
  body: pair("body", "toNumber=+1*"),
};
const webhookCriteria: Readonly<Record<string, Criterion>> = {
  destination: { field: "destinationId", needs: "an id" },
  url: { field: "url", needs: "an address" },
  transfer: { field: "transferId", needs: "an id" },
};
const whenWords = ["10%", "once", "3 times", "always", "nth 2"];

/**
 * Reads a fault that is written as a text: which requests, what happens, and how often.
 *
 * - `POST /api/v1/calls 503, 503, pass`
 * - `createCall header x-test=slow queue_full 3 times`
 * - `GET * latency 800ms`
 * - `* 503 10%`
 * - `webhooks sign wrong_secret`
 *
 * A fault applies once. A latency or a percentage applies until the fault is removed. Throws InputError that names the wrong
 * word.
 */
export function parseFault(text: string, known: readonly OperationDescription[] = Object.values(operations)): Fault {
  const words = new Words(text);
  if (words.next === undefined) throw new InputError("", "the text is empty. Write a fault such as createCall 503");
  const isWebhookFault = words.take("webhooks");
  const match = isWebhookFault ? {} : readTarget(words, known);
  let draft: Draft = { words, isWebhookFault, match, when: {}, steps: [] };
  while (words.next !== undefined) {
    const read = readWhen(draft) ?? readCriterion(draft) ?? readSteps(draft);
    if (read === undefined) throw unknownWord(draft, known);
    draft = { ...draft, ...read };
  }
  const fault = faultOf(draft);
  try {
    assertFault(fault, known);
  } catch (error) {
    throw error instanceof InputError ? new InputError("", error.message) : error;
  }
  return fault;
}

function faultOf({ isWebhookFault, match, when, steps }: Draft): unknown {
  const [first, ...others] = steps;
  if (first === undefined) throw new InputError("", `does not say what happens. Add ${actionsOf(isWebhookFault)}.`);
  const isLatency = others.length === 0 && typeof first === "object" && "latencyMs" in first;
  const isLasting = isLatency || when.probability !== undefined;
  const whole = when.times === undefined && isLasting ? { ...when, times: null } : when;
  const hasMatch = isWebhookFault || Object.keys(match).length > 0;
  return {
    ...(hasMatch && { [isWebhookFault ? "webhooks" : "match"]: match }),
    ...(Object.keys(whole).length > 0 && { when: whole }),
    do: others.length === 0 ? first : steps,
  };
}

/** Reads an operation, a method with or without a path, a path, or `*`. Without one, all requests match. */
function readTarget(words: Words, known: readonly OperationDescription[]): FaultMatch {
  if (words.take("*")) return {};
  const { next = "" } = words;
  const operation = known.find(({ id }) => id.toLowerCase() === next.toLowerCase());
  const method = zStub().shape.method.options.find((one) => one === next.toUpperCase());
  const match = { ...(operation && { operationId: operation.id }), ...(method !== undefined && { method }) };
  if (operation !== undefined || method !== undefined) words.skip();
  if (operation !== undefined || (method !== undefined && words.take("*"))) return match;
  const path = words.next;
  if (!path?.startsWith("/")) return match;
  checkPath(path, method, known);
  words.skip();
  return { ...match, path };
}

function readCriterion({ words, isWebhookFault, match }: Draft): Pick<Draft, "match"> | undefined {
  const criteria = isWebhookFault ? webhookCriteria : requestCriteria;
  const [word, criterion] = Object.entries(criteria).find(([name]) => words.take(name)) ?? [];
  if (word === undefined || criterion === undefined) return undefined;
  const { field, needs, isPair } = criterion;
  if (!isPair) return { match: { ...match, [field]: words.after(word, needs, String) } };
  return { match: { ...match, [field]: { ...Object(match[field]), ...words.after(word, needs, pairOf) } } };
}

function pairOf(text: string): Record<string, string> | undefined {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : { [name]: value };
}

function readWhen({ words, when }: Draft): Pick<Draft, "when"> | undefined {
  const part = readPartOfWhen(words);
  return part && { when: { ...when, ...part } };
}

function readPartOfWhen(words: Words): FaultWhen | undefined {
  if (words.take("once")) return { times: 1 };
  if (words.take("always")) return { times: null };
  if (words.take("nth")) return { nth: countAfter(words, "nth") };
  const { next = "" } = words;
  if (words.at(1)?.toLowerCase() === "times") {
    const times = countAfter(words, "times");
    words.skip();
    return { times };
  }
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(next) ?? [];
  if (percent === undefined) return undefined;
  words.skip();
  return { probability: Number(percent) / 100 };
}

/** Reads what happens: one action, or several with commas between them. */
function readSteps({ words, isWebhookFault, steps }: Draft): Pick<Draft, "steps"> | undefined {
  const first = readStep(words, isWebhookFault);
  if (first === undefined) return undefined;
  if (steps.length > 0) throw new InputError("", "there are two actions. Write a comma between the steps of a list");
  const read = [first];
  while (words.take(",")) {
    const following = readStep(words, isWebhookFault);
    const found = words.next === undefined ? "" : `, and not "${words.next}"`;
    if (following === undefined)
      throw new InputError("", `after a comma comes ${actionsOf(isWebhookFault)}, or pass${found}`);
    read.push(following);
  }
  return { steps: read };
}

function readStep(words: Words, isWebhookFault: boolean): FaultStep | undefined {
  const { next = "" } = words;
  if (words.take("pass")) return "pass";
  const kinds: ReadonlyMap<string, (words: Words) => FaultStep> = isWebhookFault ? webhookWords : requestWords;
  for (const [word, read] of kinds) if (words.take(word)) return read(words);
  const plain = isWebhookFault ? undefined : statusOrCode(next);
  if (plain !== undefined) words.skip();
  return plain;
}

function actionsOf(isWebhookFault: boolean): string {
  return isWebhookFault
    ? `one of ${[...webhookWords.keys()].join(", ")}`
    : `a status, an error code or one of ${[...requestWords.keys()].join(", ")}`;
}

function unknownWord(
  { words, isWebhookFault, match, steps }: Draft,
  known: readonly OperationDescription[],
): InputError {
  const { next = "" } = words;
  const isFirst = Object.keys(match).length === 0 && steps.length === 0;
  const kinds: ReadonlyMap<string, unknown> = isWebhookFault ? webhookWords : requestWords;
  const actions = [...kinds.keys(), ...(isWebhookFault ? [] : Object.keys(errorCodes))];
  const criteria = Object.keys(isWebhookFault ? webhookCriteria : requestCriteria);
  const targets = isFirst && !isWebhookFault ? ["webhooks", ...known.map(({ id }) => id)] : [];
  const hint = suggestion(next, [...targets, ...actions, ...criteria, "always", "times", "pass"]);
  const parts = [
    ...(targets.length > 0 ? ["requests (createCall, GET, GET /api/v1/calls, *)"] : []),
    `criteria (${criteria.join(", ")})`,
    ...(steps.length === 0
      ? [
          `what happens (${isWebhookFault ? "" : "a status such as 503, an error code such as queue_full, "}${[...kinds.keys()].join(", ")})`,
        ]
      : []),
    `how often (${whenWords.join(", ")})`,
  ];
  return new InputError("", `"${next}" is not understood here.${hint || ` Use one of these: ${parts.join("; ")}.`}`);
}
