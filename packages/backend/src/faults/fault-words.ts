import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type { WebhookFaultAction } from "../generated/models.gen.ts";
import { InputError } from "../utils/input-error.ts";
import type { FaultAction, SignatureFault } from "./fault.ts";

/** The words of a text, read from left to right. A comma is a word. */
export class Words {
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
  Object.entries(errorCodes).flatMap(([code, { isGeneral, mockStatus }]) =>
    isGeneral ? [[mockStatus, code as ErrorCode] as const] : [],
  ),
);

/** How to read the rest of an action, by its first word. */
type ActionWords<Action> = ReadonlyMap<string, (words: Words) => Action>;

const plainRequestWords = [
  "reset",
  "empty",
  "hang",
  "processThenDrop",
  "truncate",
  "slowBody",
  "wrongContentType",
  "unknownEnum",
] as const;

/** The actions of a fault of requests, besides statuses and error codes. */
export const requestWords: ActionWords<FaultAction> = new Map<string, (words: Words) => FaultAction>([
  ...plainRequestWords.map((word) => [word, () => word] as const),
  ["latency", (words) => ({ latency: durationAfter(words, "latency", "800ms") })],
  ["rateLimit", (words) => ({ rateLimit: { retryAfterSecs: durationAfter(words, "rateLimit", "5s") / 1000 } })],
]);

/** The actions of a fault of deliveries. */
export const webhookWords: ActionWords<WebhookFaultAction> = new Map<string, (words: Words) => WebhookFaultAction>([
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
  ["signedAgo", (words) => ({ signedSecsAgo: durationAfter(words, "signedAgo", "301s") / 1000 })],
  ["sign", (words) => ({ sign: words.after("sign", `one of ${signatures.join(", ")}`, signatureNamed) })],
  ["alsoTo", (words) => ({ alsoTo: [words.after("alsoTo", "an address", (next) => next)] })],
]);

const signatures: readonly SignatureFault[] = ["none", "wrongSecret", "previousSecret", "wrongFirst", "reversed"];

function signatureNamed(word: string): SignatureFault | undefined {
  return signatures.find((name) => name.toLowerCase() === word.toLowerCase());
}

/** The action of a status or of an error code; undefined for another word. */
export function statusOrCode(word: string): FaultAction | undefined {
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
export function countAfter(words: Words, word: string): number {
  return words.after(word, "a whole number from 1", (next) => (/^[1-9]\d*$/.test(next) ? Number(next) : undefined));
}
