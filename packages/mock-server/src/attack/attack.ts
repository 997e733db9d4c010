// Runs the table of mutations against a receiver, and judges the answers.
import { setTimeout } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import { isHttp, isLoopbackHost } from "../net/urls.ts";
import { lateCopies, type Mutation, mutations, plainOffer } from "./mutations.ts";
import { type AttackReport, findingsOf, type Problem, type Result } from "./report.ts";
import { describeReply, digest, type Exchange, isAccepted, Sender } from "./sender.ts";

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
  /** Milliseconds that an answer may take; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Fields of each event, such as a `destinationId` that the receiver recognizes. `id` is always set. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Allows addresses of other machines. */
  readonly allowRemote?: boolean;
}

/** Deliveries without an answer after which the attack stops. */
const maxUnanswered = 5;

/**
 * Attacks a webhook receiver (§6) with genuine, forged, repeated and broken deliveries over HTTP, and reports what it does
 * wrong. It runs in real time and needs no mock server.
 *
 * @throws {TypeError} An option is invalid, or an address is not on this machine and `allowRemote` is not set.
 * @throws {Error} Nothing listens at an address, or `handled` failed: before the attack, or after one without findings.
 */
export async function attackReceiver(options: AttackOptions): Promise<AttackReport> {
  const sender = createSender(options);
  const { handled, secret, previousSecret } = options;
  const { exchanges } = sender;
  // Fails at the start, and not after the attack, if the counts cannot be read.
  if (handled !== undefined) await readCounts(handled);
  const results: Result[] = [];
  let stopped: string | undefined;
  const run = async (check: Mutation): Promise<void> => {
    const waves = stopped ?? check.waves(sender);
    if (typeof waves === "string") return void results.push({ check, problems: [], reason: waves });
    for (const wave of waves) await sender.sendAll(check.name, wave);
    results.push({ check, problems: problemsOf(check.name, exchanges) });
    stopped = stopReason(exchanges);
  };
  // One check at a time, so that a crash has one cause.
  await run(plainOffer);
  const [first] = exchanges;
  if (results[0]?.problems.length) {
    checkReachable(exchanges);
    stopped = "All other checks, because the receiver accepts nothing genuine. Fix that first.";
  }
  for (const mutation of mutations) await run(mutation);
  if (first) await run(lateCopies(first));
  const secrets = [secret, previousSecret].filter((one) => one !== undefined);
  results.push(...findLeaks(exchanges, secrets));
  const counted = handled !== undefined && (await compareCounts(handled, exchanges, results));
  const reasons = new Set(results.flatMap(({ reason }) => reason ?? []));
  if (!counted) reasons.add("How often the app handled each event: give handled, or --handled-url.");
  return {
    urls: sender.options.urls,
    findings: findingsOf(results, (text) => redact(text, secrets)),
    passed: results.filter(({ problems, reason }) => problems.length === 0 && reason === undefined).length,
    notChecked: [...reasons],
    deliveries: exchanges.length,
  };
}

/** Creates what sends the deliveries. Throws TypeError for an invalid option. */
function createSender(options: AttackOptions): Sender {
  const { url, secret, previousSecret, payload = {}, allowRemote = false, timeoutMs = 10_000 } = options;
  if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be a number above 0");
  const urls = typeof url === "string" ? [url] : [...url];
  if (urls.length === 0) throw new TypeError("url must be an address or a list of them");
  for (const one of urls) {
    // Without the URL, which may contain a password.
    if (!isHttp(one)) throw new TypeError("url must be an http or https URL without user name and password");
    if (!allowRemote && !isLoopbackHost(new URL(one).hostname))
      throw new TypeError(
        `${one} is not on this machine. If the receiver is yours, set allowRemote, or --allow-remote.`,
      );
  }
  if (!secret || previousSecret === "") throw new TypeError("secret and previousSecret must not be empty");
  return new Sender({ urls, secret, previousSecret, timeoutMs, payload });
}

/** Throws an Error if a plain offer reached no receiver. */
function checkReachable(exchanges: readonly Exchange[]): void {
  const lost = exchanges.find(({ reply: { status, code } }) => status === undefined && code !== "TIMEOUT");
  if (lost === undefined) return;
  throw new Error(`No receiver answers at ${lost.url}: ${lost.reply.error}. Start it, or check the address.`);
}

function stopReason(exchanges: readonly Exchange[]): string | undefined {
  if (exchanges.some(({ reply }) => reply.code === "ECONNREFUSED"))
    return "The rest, because the receiver stopped listening. Find out why it ended.";
  if (exchanges.filter(({ reply }) => reply.code === "TIMEOUT").length < maxUnanswered) return undefined;
  return `The rest, because ${maxUnanswered} deliveries got no answer in time. Fix the findings first.`;
}

const isForged = ({ delivery }: Exchange) => delivery.expected !== "accept";

/** What is wrong with an answer. A server may say that it does not implement a method. */
function kindOf(exchange: Exchange): Problem["kind"] | undefined {
  const { delivery, reply } = exchange;
  const { status = 0, code, tookAll } = reply;
  if (!isForged(exchange)) return isAccepted(exchange) ? undefined : "refused";
  if (isAccepted(exchange)) return "accepted";
  if (delivery.isLeftOpen || status === 501) return undefined;
  if (delivery.expected === "stop_reading")
    return code === "TIMEOUT" || (tookAll && status !== 413) ? "other" : undefined;
  return status >= 400 && status < 500 ? undefined : "other";
}

/** What is wrong with the answers to a check: one problem for all deliveries that went wrong in one way. */
function problemsOf(check: string, exchanges: readonly Exchange[]): Problem[] {
  const sent = exchanges.filter((exchange) => exchange.check === check);
  const problems = (["accepted", "refused", "other"] as const).flatMap((kind): Problem[] => {
    const wrong = sent.filter((exchange) => kindOf(exchange) === kind);
    const [exchange] = wrong;
    if (exchange === undefined) return [];
    const isGenuine = kind === "refused";
    const alike = sent.filter((one) => isForged(one) !== isGenuine);
    const answers = new Set(wrong.map(describeReply));
    const names = new Set(wrong.flatMap(({ delivery }) => delivery.what ?? []));
    const noun = isGenuine ? "genuine offer" : "forgery";
    const nouns = isGenuine ? "genuine offers" : "forgeries";
    const count = alike.length === 1 ? `A ${noun}` : `${wrong.length} of ${alike.length} ${nouns}`;
    const which = names.size > 0 && alike.length > 1 ? `: ${[...names].join(", ")}` : "";
    const problem = `${count} got ${[...answers].join(" or ")}${which}.`;
    return [{ kind, problem, exchange, isWhole: wrong.length === alike.length }];
  });
  return [...problems, ...sent.flatMap((exchange) => differenceOf(exchange, exchanges)).slice(0, 1)];
}

/** How the answer to an accepted offer differs from the first one to its event. */
function differenceOf(exchange: Exchange, exchanges: readonly Exchange[]): Problem[] {
  const { id, reply, delivery } = exchange;
  const first = exchanges.find((one) => one.id === id && isAccepted(one));
  if (first === undefined || delivery.expected !== "accept" || !isAccepted(exchange)) return [];
  if (first.reply.status === reply.status && first.reply.body === reply.body) return [];
  const difference =
    first.reply.status === reply.status ? "with another body" : `and another ${describeReply(exchange)}`;
  const problem = `The first copy got ${describeReply(first)}, ${difference}.`;
  return [{ kind: "other", problem, exchange: first }];
}

/** Milliseconds that the app may take to handle an event after its answer. */
const maxCountsMs = 5000;
const pollMs = 100;

/** Adds a problem to each check whose events were not handled as often as they must be. Returns whether it could. */
async function compareCounts(
  handled: NonNullable<AttackOptions["handled"]>,
  exchanges: readonly Exchange[],
  results: readonly Result[],
): Promise<boolean> {
  const ids = [...new Set(exchanges.map(({ id }) => id).filter(Boolean))];
  const events = ids.map((id) => [id, exchanges.filter((exchange) => exchange.id === id)] as const);
  try {
    let countOf = await readCounts(handled);
    for (let waited = 0; waited < maxCountsMs; waited += pollMs) {
      if (!events.some(([id, sent]) => sent.some(isDue) && countOf(id) === 0)) break;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      countOf = await readCounts(handled);
    }
    for (const [id, sent] of events) {
      const result = results.find(({ check }) => check.name === sent.at(-1)?.check);
      const problem = result && countProblem(countOf(id), sent, result);
      // One problem of a kind says enough.
      if (problem && !result.problems.some(({ kind }) => kind === problem.kind)) result.problems.push(problem);
    }
    return true;
  } catch (error) {
    // A receiver that crashed cannot count. What the attack found is worth more.
    if (results.every(({ problems }) => problems.length === 0)) throw error;
    return false;
  }
}

/** Whether the app must handle the event. */
const isDue = (exchange: Exchange) =>
  exchange.delivery.expected === "accept" && !exchange.delivery.mayIgnore && isAccepted(exchange);

function countProblem(count: number, sent: readonly Exchange[], { check }: Result): Problem | undefined {
  const [exchange] = sent;
  const times = count === 1 ? "once" : `${count} times`;
  if (count > 0 && sent.every(isForged))
    return { kind: "accepted", problem: `The app handled a forgery ${times}.`, exchange };
  if (count > 1) return { kind: "handled_twice", problem: `The app handled an event ${times}.`, exchange };
  if (count === 1 || !sent.some(isDue)) return undefined;
  const problem = "The receiver accepted an event, but the app did not handle it.";
  const fix = "Answer 2xx only after the app has handled the event. Check that handled() counts by the event's id.";
  return { kind: "other", problem, exchange, ...(check.group !== "duplicates" && { fix }) };
}

/** Reads the counts. */
async function readCounts(handled: NonNullable<AttackOptions["handled"]>): Promise<(id: string) => number> {
  const counts = await handled();
  const entries = new Map<string, number>(counts instanceof Map ? counts : Object.entries(counts));
  return (id) => entries.get(id) ?? 0;
}

type Find = (answer: string, exchange: Exchange) => boolean;

/** Stack traces of Node, Express' pages and Python. */
const trace = /(?:\n|&nbsp;|<br>)\s*at .{1,200}:\d+:\d+|Traceback \(most recent call last\)/;
const leakFix = "Answer forgeries with a fixed text. Write the reason to the log. In Express, set NODE_ENV=production.";

/** Searches the answers to all deliveries for what an attacker can use. */
function findLeaks(exchanges: readonly Exchange[], secrets: readonly string[]): readonly Result[] {
  const leaks: readonly (readonly [name: string, find: Find])[] = [
    ["a signing secret", (answer) => formsOf(secrets).some((form) => answer.includes(form))],
    ["the expected signature", (answer, one) => digestsOf(one, secrets).some((start) => answer.includes(start))],
    ["a stack trace", (answer) => trace.test(answer)],
  ];
  return leaks.map(([name, find]) => {
    const exchange = exchanges.find((one) => find(`${one.reply.headers}\n${one.reply.body}`, one));
    const problem = `The answer to "${exchange?.check}" (status ${exchange?.reply.status}) contains ${name}.`;
    return {
      check: { name, group: "leaks", reference: "§6", fix: leakFix },
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
function redact(text: string, secrets: readonly string[]): string {
  return formsOf(secrets).reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}
