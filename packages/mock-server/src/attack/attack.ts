// Runs the table of mutations against a receiver, and judges the answers.
import { setTimeout } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import { hasCredentials, isHttp } from "../net/urls.ts";
import { findLeaks, redactor } from "./leaks.ts";
import { lateCopies, type Mutation, mutations, plainOffer } from "./mutations.ts";
import { type AttackReport, createReport, type Problem, type Result } from "./report.ts";
import { describeReply, type Exchange, isAccepted, Sender } from "./sender.ts";

/** How often the app handled each event, by the event's id. */
export type HandledCounts = Readonly<Record<string, number>> | ReadonlyMap<string, number>;

/** Options of `attackReceiver`. */
export interface AttackOptions {
  /** The receiver's address. Several are processes of one receiver: deliveries go to them in turn, copies in parallel. */
  readonly url: string | readonly string[];
  /** The signing secret. */
  readonly secret: string;
  /** The previous secret, if the receiver accepts it during a rotation. */
  readonly previousSecret?: string;
  /** Returns how often the app handled each event. Without it, the attack sees only answers. */
  readonly handled?: () => HandledCounts | Promise<HandledCounts>;
  /** Milliseconds that a signature's time may differ from now; 300,000 by default. */
  readonly toleranceMs?: number;
  /** Milliseconds that an answer may take; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Fields of each event, such as a `destinationId` that the receiver recognizes. `id` is always set. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Allows addresses of other machines. */
  readonly allowRemote?: boolean;
}

/** Deliveries without an answer after which the attack stops. */
const maxUnanswered = 5;
const maxConcurrency = 8;

/** How an attack follows a receiver in time. */
interface Pace {
  /** A receiver that takes longer for an offer gets several checks at the same time. One at a time, a crash has one cause. */
  readonly slowMs: number;
  /** Milliseconds that the app may take to handle an event after its answer. */
  readonly countsMs: number;
}

/**
 * Attacks a webhook receiver (§6) with genuine, forged, repeated and broken deliveries over HTTP, and reports what it does
 * wrong. It runs in real time and needs no mock server.
 *
 * @throws {TypeError} An option is invalid, or an address is not on this machine and `allowRemote` is not set.
 * @throws {Error} Nothing listens at an address, or `handled` failed: before the attack, or after one without findings.
 */
export async function attackReceiver(options: AttackOptions): Promise<AttackReport> {
  return attackAtPace(options, {});
}

/** Attacks a receiver at a pace that does not follow from the machine's. */
export async function attackAtPace(options: AttackOptions, pace: Partial<Pace>): Promise<AttackReport> {
  const sender = createSender(options);
  const { slowMs = 250, countsMs = sender.options.timeoutMs } = pace;
  const { handled, secret, previousSecret } = options;
  // Fails at the start, and not after the attack, if the counts cannot be read.
  if (handled !== undefined) await readCounts(handled);
  const results: Result[] = [];
  let stopped: string | undefined;
  const run = async (mutation: Mutation): Promise<void> => {
    const waves = stopped ?? (await mutation.waves(sender));
    const exchanges: Exchange[] = [];
    if (typeof waves !== "string")
      for (const wave of waves) exchanges.push(...(await sender.sendAll(mutation.name, wave)));
    const problems = problemsOf(exchanges, sender.exchanges);
    results.push({ check: mutation, problems, ...(typeof waves === "string" && { reason: waves }) });
    stopped ??= stopReason(sender);
  };
  await run(plainOffer);
  const [first] = sender.exchanges;
  if (results[0]?.problems.length) {
    checkReachable(sender);
    stopped = "All other checks, because the receiver accepts nothing genuine. Fix that first.";
  }
  const waiting = mutations.values();
  const work = async (): Promise<void> => {
    for (const mutation of waiting) await run(mutation);
  };
  const width = (first?.reply.ms ?? 0) > slowMs ? maxConcurrency : 1;
  await Promise.all(Array.from({ length: width }, work));
  if (first) await run(lateCopies(first));
  const secrets = [secret, previousSecret].filter((one) => one !== undefined);
  results.push(...findLeaks(sender.exchanges, secrets));
  const counted = handled !== undefined && (await compareCounts(handled, sender, results, countsMs));
  return createReport(sender, results, { counted, redact: redactor(secrets) });
}

/** Creates what sends the deliveries. Throws TypeError for an invalid option. */
function createSender(options: AttackOptions): Sender {
  const { url, secret, previousSecret, payload = {}, allowRemote = false } = options;
  const { toleranceMs = webhookSignature.toleranceSecs * 1000, timeoutMs = 10_000 } = options;
  for (const [name, value] of Object.entries({ toleranceMs, timeoutMs }))
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`${name} must be a number above 0`);
  const urls = typeof url === "string" ? [url] : [...url];
  if (urls.length === 0) throw new TypeError("url must be an address or a list of them");
  for (const one of urls) {
    if (URL.canParse(one) && hasCredentials(new URL(one)))
      throw new TypeError("url must not contain a user name or password");
    if (!isHttp(one)) throw new TypeError(`url must be an http or https URL, not ${one}`);
    if (!allowRemote && !isLoopback(one))
      throw new TypeError(`${one} is not on this machine. If the receiver is yours, set allowRemote: true.`);
  }
  for (const [name, value] of Object.entries({ secret, previousSecret }))
    if ((name === "secret" || value !== undefined) && (typeof value !== "string" || value === ""))
      throw new TypeError(`${name} must be non-empty text`);
  const isLocal = urls.every(isLoopback);
  return new Sender({ urls, secret, previousSecret, toleranceSecs: toleranceMs / 1000, timeoutMs, payload, isLocal });
}

/** Whether the host of a URL is this machine's own. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** Throws an Error if a plain offer reached no receiver. */
function checkReachable({ exchanges }: Sender): void {
  const lost = exchanges.find(({ reply: { status, code } }) => status === undefined && code !== "TIMEOUT");
  if (lost === undefined) return;
  // OpenSSL's text names files of its sources.
  if (/^(?:EPROTO|ERR_SSL_)/.test(lost.reply.code ?? ""))
    throw new Error(`The receiver at ${lost.url} does not use TLS. Use http:// in its URL.`);
  throw new Error(`No receiver answers at ${lost.url}: ${lost.reply.error}. Start it, or check the address.`);
}

function stopReason({ exchanges }: Sender): string | undefined {
  if (exchanges.some(({ reply }) => reply.code === "ECONNREFUSED"))
    return "The rest, because the receiver stopped listening. Find out why it ended.";
  if (exchanges.filter(({ reply }) => reply.code === "TIMEOUT").length < maxUnanswered) return undefined;
  return `The rest, because ${maxUnanswered} deliveries got no answer in time. Fix the findings first.`;
}

/** What is wrong with the answers to the deliveries of a check. */
function problemsOf(sent: readonly Exchange[], all: readonly Exchange[]): Problem[] {
  const genuine = sent.filter(({ delivery }) => delivery.expected === "accept");
  const forged = sent.filter(isForged);
  const isWrong = ({ reply }: Exchange) => isAccepted(reply);
  return [
    ...summary("accepted", "forgery", forged, isWrong),
    ...summary("refused", "genuine offer", genuine, (exchange) => !isWrong(exchange)),
    ...summary("other", "forgery", forged, isCrash),
    ...genuine.flatMap((exchange) => differenceOf(exchange, all)).slice(0, 1),
  ];
}

const isForged = ({ delivery }: Exchange) => !["accept", "any"].includes(delivery.expected);

/** One problem for all deliveries of a check that went wrong in one way. */
function summary(
  kind: Problem["kind"],
  noun: "forgery" | "genuine offer",
  sent: readonly Exchange[],
  isWrong: (exchange: Exchange) => boolean,
): Problem[] {
  const wrong = sent.filter(isWrong);
  const [exchange] = wrong;
  if (exchange === undefined) return [];
  const answers = new Set(wrong.map(({ reply }) => describeReply(reply)));
  const names = new Set(wrong.flatMap(({ delivery }) => delivery.what ?? []));
  const which = names.size > 0 && sent.length > 1 ? `: ${[...names].join(", ")}` : "";
  const nouns = noun === "forgery" ? "forgeries" : "genuine offers";
  const count = sent.length === 1 ? `A ${noun}` : `${wrong.length} of ${sent.length} ${nouns}`;
  const isRead = kind === "other" && exchange.delivery.expected === "stop_reading" && exchange.tookAll;
  const read = isRead ? " after the receiver had read all of it" : "";
  const problem = `${count} got ${[...answers].join(" or ")}${read}${which}.`;
  return [{ kind, problem, exchange, isWhole: wrong.length === sent.length }];
}

/** Whether a forgery was neither accepted nor refused properly. A server may say that it does not implement a method. */
function isCrash({ delivery: { expected, end }, reply: { status, code }, tookAll }: Exchange): boolean {
  if (code === "TIMEOUT") return end !== "never";
  if (expected === "stop_reading") return tookAll && status !== 413;
  return (
    expected === "refuse" &&
    (status === undefined || (status >= 300 && status < 400) || (status >= 500 && status !== 501))
  );
}

/** How the answer to an accepted offer differs from the first one to its event. */
function differenceOf({ id, reply }: Exchange, all: readonly Exchange[]): Problem[] {
  const first = all.find((one) => one.id === id && isAccepted(one.reply));
  if (first === undefined || !isAccepted(reply)) return [];
  if (first.reply.status === reply.status && first.reply.body === reply.body) return [];
  const difference = first.reply.status === reply.status ? "with another body" : `and another ${describeReply(reply)}`;
  const problem = `The first copy got ${describeReply(first.reply)}, ${difference}.`;
  return [{ kind: "other", problem, exchange: first }];
}

/** Adds a problem to each check whose events were not handled as often as they must be. Returns whether it could. */
async function compareCounts(
  handled: NonNullable<AttackOptions["handled"]>,
  { exchanges }: Sender,
  results: readonly Result[],
  countsMs: number,
): Promise<boolean> {
  const ids = new Set(exchanges.map(({ id }) => id).filter(Boolean));
  const events = [...ids].map((id) => [id, exchanges.filter((exchange) => exchange.id === id)] as const);
  const isDue = (sent: readonly Exchange[]) =>
    sent.some(({ delivery, reply }) => delivery.expected === "accept" && !delivery.mayIgnore && isAccepted(reply));
  try {
    let countOf = await readCounts(handled);
    // An event may be handled after its answer.
    for (let waited = 0; waited < countsMs; waited += pollMs) {
      if (!events.some(([id, sent]) => isDue(sent) && countOf(id) === 0)) break;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      countOf = await readCounts(handled);
    }
    for (const [id, sent] of events) {
      const result = results.find(({ check }) => check.name === sent.at(-1)?.check);
      const problem = countProblem(countOf(id), sent, isDue(sent));
      // One problem of a kind says enough.
      if (problem === undefined || result?.problems.some(({ kind }) => kind === problem.kind)) continue;
      const isLost = problem.kind === "other" && result?.check.group !== "duplicates";
      result?.problems.push({ ...problem, ...(isLost && { fix: answerAfterwards }) });
    }
    return true;
  } catch (error) {
    // A receiver that crashed cannot count. What the attack found is worth more.
    if (results.every(({ problems }) => problems.length === 0)) throw error;
    return false;
  }
}

const pollMs = 100;
const answerAfterwards =
  "Answer 2xx only after the app has handled the event. Check that handled() counts by the event's id.";

function countProblem(count: number, sent: readonly Exchange[], isDue: boolean): Problem | undefined {
  const [exchange] = sent;
  const times = count === 1 ? "once" : `${count} times`;
  if (count > 0 && sent.every(isForged))
    return { kind: "accepted", problem: `The app handled a forgery ${times}.`, exchange };
  if (count > 1) return { kind: "handled_twice", problem: `The app handled an event ${times}.`, exchange };
  if (!isDue || count === 1) return undefined;
  return { kind: "other", problem: "The receiver accepted an event, but the app did not handle it.", exchange };
}

/** Reads the counts. Throws TypeError if they are not counts. */
async function readCounts(handled: NonNullable<AttackOptions["handled"]>): Promise<(id: string) => number> {
  const counts = await handled();
  if (typeof counts !== "object" || counts === null)
    throw new TypeError("handled must return how often each event was handled: a Map, or an object, by the event's id");
  const entries = new Map<string, number>(counts instanceof Map ? counts : Object.entries(counts));
  return (id) => entries.get(id) ?? 0;
}
