// Runs the checks against a receiver, in a fixed order.
import { webhookSignature } from "@call-transfer/spec";
import { hasCredentials, isHttp } from "../net/urls.ts";
import { type Check, check, type Lab, type Problem } from "./check.ts";
import type { Reply } from "./deliver.ts";
import { duplicateChecks } from "./duplicate-checks.ts";
import { forgedChecks, verifiesFirst } from "./forged-checks.ts";
import { genuineChecks, plainOffer } from "./genuine-checks.ts";
import { compareCounts, type Expectation, type HandledCounts, readCounts } from "./handled-counts.ts";
import { leakChecks } from "./leak-checks.ts";
import { limitChecks } from "./limit-checks.ts";
import type { AttackReport, CheckResult, Finding } from "./report.ts";
import { describe, isAccepted, Sender } from "./sender.ts";

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
  /** How long an answer may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Decides the ids of the events: a whole number; random by default. */
  readonly seed?: number;
  /** Fields of each event, such as a `destinationId` that the receiver recognizes. `id` is always set. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Allows addresses of other machines. */
  readonly allowRemote?: boolean;
  /** The IP address to connect to, in place of a look-up of the host's name. */
  readonly address?: string;
  /** Milliseconds after which no further check begins; no limit by default. */
  readonly maxDurationMs?: number;
}

/** Deliveries without an answer after which the attack stops. */
const mostUnanswered = 5;

/**
 * Attacks a webhook receiver (§6) with genuine, forged, repeated and broken deliveries over HTTP, and reports what it does
 * wrong. It runs in real time and needs no mock server.
 *
 * @throws {TypeError} An option is invalid, or an address is not on this machine and `allowRemote` is not set.
 * @throws {Error} Nothing listens at an address, or `handled` failed: before the attack, or after one without findings.
 */
export async function attackReceiver(options: AttackOptions): Promise<AttackReport> {
  const { handled, previousSecret } = options;
  const sender = createSender(options);
  // Fails at the start, and not after the attack, if the counts cannot be read.
  if (handled !== undefined) await readCounts(handled);
  const expected = new Map<string, Expectation>();
  const notes = new Map<string, string>();
  let current = plainOffer;
  const lab: Lab = {
    sender,
    previousSecret,
    toleranceSecs: toleranceOf(options) / 1000,
    note: (text) => void notes.set(current, text),
    expectHandled: (id, handling) => void expected.set(id, { check: current, handling }),
  };
  const results: Results = new Map();
  const end = performance.now() + (options.maxDurationMs ?? Number.POSITIVE_INFINITY);
  let stopped: string | undefined;
  for (const check of allChecks) {
    current = check.name;
    sender.check = check.name;
    // The leaks are searched in what was answered until then.
    const unsent = check.group === "leaks" ? undefined : stopped;
    const reason = missing(check, options) ?? skipped(check, results) ?? unsent;
    results.set(check, reason === undefined ? { problems: [...(await check.run(lab))] } : { problems: [], reason });
    stopped ??= stopReason(check, lab, results);
    if (performance.now() >= end)
      stopped ??= "The remaining checks, because the receiver took too long for those before.";
  }
  const problemsOf = new Map([...results].map(([{ name }, { problems }]) => [name, problems]));
  const uncounted = handled === undefined ? withoutCounts : await compare(handled);
  return reportOf(sender, results, notes, uncounted);

  /** Compares the counts. Returns why not, if they cannot be read. */
  async function compare(read: NonNullable<AttackOptions["handled"]>): Promise<string | undefined> {
    try {
      await compareCounts(read, expected, sender.options.timeoutMs, problemsOf);
      return undefined;
    } catch (error) {
      // A receiver that crashed cannot count. What the attack found is worth more.
      if ([...problemsOf.values()].every((problems) => problems.length === 0)) throw error;
      return "How often the app handled each event, because the counts could not be read after the attack.";
    }
  }
}

const checkAddress =
  "Check the secret and the address. If the app accepts certain events only, give payload, or --payload.";

const baseline = check("genuine", [plainOffer, "§6.1", checkAddress], async (lab) => {
  const { sender, previousSecret } = lab;
  const problems: Problem[] = [];
  for (const url of sender.options.urls) {
    const offer = sender.offer();
    const reply = await sender.send(offer, { url });
    lab.expectHandled(offer.id, isAccepted(reply) ? "once" : "at most once");
    if (reply.status === undefined && reply.code !== "TIMEOUT") throw new Error(noReceiver(url, reply));
    if (!isAccepted(reply))
      problems.push({ kind: "refused", problem: `An offer signed with the secret got ${describe(reply)}.` });
  }
  const [problem] = problems;
  if (problem === undefined || previousSecret === undefined) return problems.slice(0, 1);
  const offer = sender.offer();
  const reply = await sender.send(offer, { signature: sender.sign(offer.body, { secrets: [previousSecret] }) });
  if (!isAccepted(reply)) return [problem];
  const fix =
    "The receiver accepts only the previous secret. Give it the current one too: the previous one ends 24 hours after the rotation.";
  return [{ ...problem, fix }];
});

function noReceiver(url: string, { code, error }: Reply): string {
  if (code === "ECONNREFUSED") return `No receiver is listening at ${url}. Start it, or check the address.`;
  return `The receiver at ${url} does not answer: ${error}. Check the address, and the receiver's log.`;
}

const allChecks: readonly Check[] = [
  baseline,
  ...genuineChecks,
  ...forgedChecks,
  ...duplicateChecks,
  ...limitChecks,
  ...leakChecks,
];

function toleranceOf({ toleranceMs = webhookSignature.toleranceSecs * 1000, ...others }: AttackOptions): number {
  if ("toleranceSecs" in others)
    throw new TypeError("toleranceSecs is no longer an option. Use toleranceMs, in milliseconds.");
  return toleranceMs;
}

type Results = Map<Check, { problems: Problem[]; reason?: string }>;

function createSender(options: AttackOptions): Sender {
  const {
    url,
    secret,
    previousSecret,
    seed = Math.floor(Math.random() * 2 ** 31),
    payload = {},
    timeoutMs = 10_000,
  } = options;
  const { allowRemote = false } = options;
  const urls = typeof url === "string" ? [url] : [...url];
  if (urls.length === 0) throw new TypeError("url must be an address or a list of them");
  for (const one of urls) checkUrl(one, allowRemote);
  for (const [name, value] of Object.entries({ secret, ...(previousSecret !== undefined && { previousSecret }) }))
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be non-empty text`);
  for (const [name, value] of Object.entries({ toleranceMs: toleranceOf(options), timeoutMs }))
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`${name} must be a number above 0`);
  if (!Number.isSafeInteger(seed)) throw new TypeError("seed must be a whole number");
  return new Sender({ urls, secret, timeoutMs, seed, payload, address: options.address });
}

function checkUrl(url: string, allowRemote: boolean): void {
  if (URL.canParse(url) && hasCredentials(new URL(url)))
    throw new TypeError("url must not contain a user name or password");
  if (!isHttp(url)) throw new TypeError(`url must be an http or https URL, not ${url}`);
  if (!allowRemote && !isLoopback(new URL(url).hostname))
    throw new TypeError(`${url} is not on this machine. If the receiver is yours, set allowRemote: true.`);
}

/** Whether the name of a host in a URL is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function missing({ requires }: Check, options: AttackOptions): string | undefined {
  if (requires === undefined || options[requires] !== undefined) return undefined;
  return "Whether the previous secret is accepted during a rotation: give previousSecret, or --previous-secret.";
}

/** Single forgeries say nothing about a receiver that accepts any signature. */
function skipped(check: Check, results: Results): string | undefined {
  if (check.group !== "forged") return undefined;
  const isUnverified = [...results].some(
    ([{ name }, { problems }]) => name === verifiesFirst && problems.some(({ kind }) => kind === "accepted"),
  );
  return isUnverified
    ? "Single forgeries, because the receiver answers 2xx to any signature. Fix that first."
    : undefined;
}

function stopReason(check: Check, { sender }: Lab, results: Results): string | undefined {
  if (check === baseline && results.get(check)?.problems.length)
    return "All other checks, because the receiver refuses plain offers. Fix that first.";
  const { exchanges } = sender;
  if (exchanges.at(-1)?.reply.code === "ECONNREFUSED")
    return "The rest, because the receiver stopped listening. Find out why it ended.";
  const unanswered = exchanges.filter(({ reply }) => reply.code === "TIMEOUT");
  if (unanswered.length < mostUnanswered) return undefined;
  return `The rest, because ${mostUnanswered} deliveries got no answer in time. Fix the findings first.`;
}

const withoutCounts =
  "How often the app handled each event, and whether a forgery reached it: give handled, or --handled-url.";

function reportOf(
  sender: Sender,
  results: Results,
  notes: ReadonlyMap<string, string>,
  uncounted: string | undefined,
): AttackReport {
  const findings = [...results].flatMap(([{ name, cites, fix }, { problems }]) =>
    problems.map((problem): Finding => ({ check: name, cites, fix, ...problem })),
  );
  const checks = [...results].map(([{ name, group, cites }, { problems, reason }]): CheckResult => {
    const outcome = reason !== undefined ? "not_checked" : problems.length > 0 ? "failed" : "passed";
    const left = reason ?? (group === "duplicates" ? uncounted : undefined);
    const note = notes.get(name);
    return {
      name,
      group,
      cites,
      outcome,
      ...(left !== undefined && { reason: left }),
      ...(note !== undefined && { note }),
    };
  });
  const replies = sender.exchanges.map(({ reply }) => reply);
  const answered = replies.filter(({ status }) => status !== undefined);
  const accepted = answered.filter(isAccepted).length;
  const durations = answered.map(({ ms }) => ms).sort((one, other) => one - other);
  return {
    urls: sender.options.urls,
    seed: sender.options.seed,
    findings,
    checks,
    deliveries: {
      sent: replies.length,
      accepted,
      refused: answered.length - accepted,
      unanswered: replies.length - answered.length,
    },
    answerTimes: { medianMs: rounded(durations[Math.floor(durations.length / 2)]), maxMs: rounded(durations.at(-1)) },
  };
}

const rounded = (ms = 0): number => Math.round(ms * 10) / 10;
