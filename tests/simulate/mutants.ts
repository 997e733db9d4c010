// Bugs to plant: for each row of the design's tables at least one way to get it wrong.

import type { Mutant } from "../plant.ts";

const inFile =
  (file: string) =>
  (name: string, from: string, to: string): Mutant => ({ name, file, from, to });

const retry = inFile("sdk/src/send/retry.ts");
const budget = inFile("sdk/src/options/retry-budget.ts");
const notSent = inFile("sdk/src/send/not-sent.ts");
const send = inFile("sdk/src/send/send.ts");
const attempt = inFile("sdk/src/send/attempt.ts");
const response = inFile("sdk/src/send/response.ts");
const failure = inFile("sdk/src/send/failure.ts");
const deadline = inFile("sdk/src/send/deadline.ts");
const auth = inFile("sdk/src/options/auth.ts");
const look = inFile("sdk/src/core/reconcile.ts");
const verify = inFile("sdk/src/webhooks/signature.ts");
const secrets = inFile("backend/src/rules/secrets.ts");
const destinations = inFile("backend/src/routes/destinations.ts");
const groups = inFile("backend/src/routes/destination-groups.ts");
const members = inFile("backend/src/routes/members.ts");
const calls = inFile("backend/src/routes/calls.ts");

const effects: readonly Mutant[] = [
  retry("any-503-is-effect-free", "status === 503 && isEffectFree(code)", "status === 503"),
  retry("no-503-is-effect-free", "status === 503 && isEffectFree(code)", "status === 0"),
  retry("408-is-a-refusal", "status < 500 && status !== 408", "status < 500"),
  retry("502-is-a-refusal", "status < 500 && status !== 408", "(status < 500 || status === 502) && status !== 408"),
  retry("success-may-be-unknown", 'if (status >= 200 && status < 300) return "applied";', ""),
  retry(
    "any-effect-free-5xx-is-a-refusal",
    "status === 503 && isEffectFree(code)",
    "status >= 500 && isEffectFree(code)",
  ),
  notSent("reset-means-not-sent", "ECONNREFUSED|", "ECONNREFUSED|ECONNRESET|"),
  notSent("time-out-means-not-sent", "ECONNREFUSED|", "ECONNREFUSED|ETIMEDOUT|"),
  notSent("refusal-that-bun-reports-means-not-sent", "ECONNREFUSED|", "ECONNREFUSED|ConnectionRefused|"),
  notSent("any-system-call-means-not-sent", "connect|getaddrinfo", "connect|read|getaddrinfo"),
  notSent(
    "system-calls-are-not-looked-at",
    "syscall === undefined ? isText(code, provingCodes) :",
    "isText(code, provingCodes) ||",
  ),
  notSent("codes-of-refused-addresses-alone-count", "isText(syscall, beforeConnection)", "isText(code, provingCodes)"),
  notSent("first-address-alone-counts", "parts.every(", "(isMany ? parts.slice(0, 1) : parts).every("),
  notSent("dns-failure-is-unknown", "connect|getaddrinfo", "connect"),
  notSent("untrusted-certificate-is-unknown", "CERT_\\w+|", ""),
  retry(
    "unknown-does-not-stick",
    "byCertainty.indexOf(one) > byCertainty.indexOf(other) ? one : other",
    "one === other ? one : other",
  ),
  response("lost-body-is-a-refusal", "outcomeOfResponse(response.status, code)", '"rejected"'),
  attempt("timeout-means-not-sent", 'state.outcome = "unknown";', 'state.outcome = "not_sent";'),
  response("page-is-a-success", 'result.outcome === "applied" ? "unknown" : result.outcome', '"applied"'),
];

const classes: readonly Mutant[] = [
  retry("once-is-retried-like-safe", 'return retry !== "once" && (', "return ("),
  retry("unique-is-never-retried", 'return retry !== "once" && (', 'return retry === "safe" && ('),
  retry("every-refusal-is-retried", '"rejected") return isRetryable;', '"rejected") return true;'),
  retry(
    "no-effect-free-503-is-retried",
    '"rejected") return isRetryable;',
    '"rejected") return isRetryable && end.status === 429;',
  ),
  retry("lost-body-is-retried-for-all", '"applied") return retry === "safe" && (', '"applied") return ('),
  retry("lost-body-is-never-retried", '"applied") return retry', '"applied") return false && retry'),
  retry("truncated-body-is-retried", '"safe" && (end.interrupted || isRetryable)', '"safe"'),
  retry("quota-is-retried", "status === 429 ? code !== quotaCode", "status === 429 ? true"),
  retry("429-is-not-retried", "status === 429 ? code !== quotaCode", "status === 429 ? false"),
  retry(
    "not-sent-is-not-retried",
    '"not_sent") return end.status === undefined || isRetryable;',
    '"not_sent") return false;',
  ),
  send("one-retry-too-many", "retries >= call.maxRetries", "retries > call.maxRetries"),
  send("one-retry-too-few", "retries >= call.maxRetries", "retries + 1 >= call.maxRetries"),
  send("default-policy-sends-blindly", 'if (blind && unsafe === "never")', "if (hintSecs < 0)"),
  send("unknown-of-any-class-throws", 'retry === "once" && (outcome', "(outcome"),
  send("applied-is-not-told", '(outcome === "unknown" || outcome === "applied")', '(outcome === "unknown")'),
  send("check-does-not-look", 'unsafe === "check" &&', 'unsafe === "check" && false &&'),
  send("check-trusts-a-broken-look", "found.value.complete && found.value.candidates", "found.value.candidates"),
];

const waits: readonly Mutant[] = [
  retry("jitter-down-to-nothing", "(0.5 + random() / 2)", "(random() / 2)"),
  retry("backoff-does-not-grow", "500 * 2 ** n", "500"),
  retry("backoff-is-not-capped", "Math.min(8000, 500 * 2 ** n)", "(500 * 2 ** n)"),
  retry("retry-after-takes-digits-alone", ": Number(part || -1)", ": /^\\d+$/.test(part) ? Number(part) : -1"),
  retry("retry-after-takes-the-last-of-several", "if (seconds > longest) longest", "if (seconds >= 0) longest"),
  retry("retry-after-takes-dates-in-gmt-alone", "/:\\d\\d/.test(part)", "/GMT$/.test(part)"),
  retry("retry-after-date-by-own-clock", "Number.isNaN(date) ? now : date", "now"),
  retry("hint-of-zero-is-none", "longest < 0 ? undefined", "longest <= 0 ? undefined"),
  retry("meta-as-text-is-ignored", 'typeof secs === "number" || isText(secs) ?', 'typeof secs === "number" ?'),
  retry("meta-is-ignored", 'typeof secs === "number" || isText(secs) ? secs : ""', '""'),
  retry("header-is-ignored-beside-meta", 'headers.get("retry-after")', 'wait === "" && headers.get("retry-after")'),
  send(
    "hint-of-zero-ends-the-backoff",
    "Math.max(backoffFor(retries, call.random),",
    "Math.max(result.hintSecs === 0 ? 0 : backoffFor(retries, call.random),",
  ),
  send("hint-is-ignored", "(result.hintSecs ?? 0) * 1000);", "0);"),
  send("hint-in-milliseconds", "(result.hintSecs ?? 0) * 1000);", "result.hintSecs ?? 0);"),
  send("any-hint-is-waited-for", "hintSecs > maxRetryAfterSecs", "hintSecs > 1e400"),
  budget("budget-never-ends", "if (this.#tokens < retryCost) return false;", ""),
  budget("budget-too-small", "capacity = 500", "capacity = 50"),
  budget("budget-refills-too-fast", "successGain = 1", "successGain = 50"),
  attempt(
    "one-buffer-for-all-bodies",
    "const buffer = new BodyBuffer();",
    "const buffer = state.reading?.buffer ?? new BodyBuffer();",
  ),
  send("backoff-is-random", "call.random", "Math.random"),
];

const deadlines: readonly Mutant[] = [
  deadline("abort-listener-stays", '      signal?.removeEventListener("abort", onAbort);\n', ""),
  deadline("timeout-timer-stays", "if (timer !== undefined) clock.clearTimeout(timer);", ""),
  deadline("aborted-signal-is-not-looked-at", "if (signal?.aborted) return", "if (signal === null) return"),
  attempt("deadline-is-not-looked-at", "Math.min(timeoutMs, remaining)", "timeoutMs"),
  attempt("timeout-is-not-looked-at", "Math.min(timeoutMs, remaining)", "remaining || timeoutMs * 2"),
  deadline("abort-is-not-heard", '  signal?.addEventListener("abort", onAbort, { once: true });\n', ""),
  attempt("error-body-is-left-unread", 'await readText(response, maxErrorBodyBytes, "cut", stop, buffer)', '"{}"'),
  send(
    "abort-does-not-wake-a-wait",
    "withDeadline(call, delayMs",
    "withDeadline({ ...call, signal: undefined }, delayMs",
  ),
  send("no-wait-is-waited-for", "await withDeadline(", "void withDeadline("),
];

const credentials: readonly Mutant[] = [
  send("any-401-renews", "code !== expiredCode", 'code === ""'),
  send("renewal-costs-a-retry", "      retries--;\n", ""),
  send("token-is-never-renewed", "!auth.canRenew", "auth.canRenew"),
  auth("renewal-is-not-shared", "if (!pending || now", "if (now >= 0 || now"),
  auth("renewal-happens-once-for-ever", "(isNewer || latest.replaced === token)", "(isNewer || token)"),
  failure("causes-show-secrets", "excerpt(clean(error), 2000)", "messageOf(error)"),
  failure("messages-show-secrets", "redact(describeError(error), tokens)", "describeError(error)"),
  attempt("error-bodies-show-secrets", "null : redact(text, tokens))", "null : text)"),
  attempt("redirects-are-followed", 'redirect: "manual"', 'redirect: "follow"'),
];

const looks: readonly Mutant[] = [
  send("window-by-own-clock", "new Date(time + (skewMs ?? 0))", "new Date(time)"),
  send("window-starts-late", "iso(first - tolerance)", "iso(first + tolerance)"),
  look("look-forgets-what-it-read", "found.set(item.id, item);", ";"),
  look("look-promises-too-long-an-overlap", "overlapHours * 3_600_000", "overlapHours * 3_700_000"),
  inFile("sdk/src/resources/calls.gen.ts")("look-starts-at-the-end", "startDate: window.from", "startDate: window.to"),
];

const verifier: readonly Mutant[] = [
  verify("only-the-first-signature", "of signatures) isValid", "of signatures.slice(0, 1)) isValid"),
  verify(
    "only-the-first-secret",
    "for (const secret of secrets) {\n    const expected",
    "for (const secret of secrets.slice(0, 1)) {\n    const expected",
  ),
  verify("any-signature", "i < a.length", "i < 0"),
  verify("any-age", "if (!(Math.abs(ageSecs) <= toleranceSecs))", "if (Number.isNaN(ageSecs))"),
  verify("any-future", "Math.abs(ageSecs) <= toleranceSecs", "ageSecs <= toleranceSecs"),
  verify("any-past", "Math.abs(ageSecs) <= toleranceSecs", "-ageSecs <= toleranceSecs"),
  verify(
    "malformed-signature-is-fatal",
    "const wellFormed =",
    "if (signatures.some((one) => one.length !== 64)) throw new WebhookVerificationError();\n  const wellFormed =",
  ),
  verify("any-number-of-signatures", "signatures.length > maxSignatures", "signatures.length > 1000"),
  verify("any-header-length", "header.length > maxHeaderLength", "header.length > 1e9"),
  verify("two-times", "times.length !== 1 || ", ""),
  verify("empty-secret", 'one !== "" && one === one.trim()', "true"),
  verify("body-is-not-signed", "signed.set(body, start.length);", ""),
  inFile("sdk/src/webhooks/handler.ts")(
    "replays-are-handled",
    'throw new Refusal(409, "This webhook was received before.");',
    "key.trim();",
  ),
  inFile("sdk/src/webhooks/handler.ts")(
    "replays-are-not-recognised",
    'await crypto.subtle.digest("SHA-256", body)',
    "crypto.getRandomValues(new Uint8Array(32))",
  ),
];

const backend: readonly Mutant[] = [
  secrets("second-signature-is-dropped", "overlaps ? previousSecret : undefined", "undefined"),
  secrets("overlap-lasts-too-long", "now < previousSecretExpiresAt", "now <= previousSecretExpiresAt"),
  secrets("overlap-never-ends", "now < previousSecretExpiresAt", "now > 0"),
  destinations("overlap-is-too-short", "limits.previousSecretOverlapHours", "(limits.previousSecretOverlapHours - 1)"),
  destinations(
    "first-secret-stays-the-previous",
    "destination.previousSecret = destination",
    "destination.previousSecret ??= destination",
  ),
  destinations(
    "answer-shows-another-secret",
    "signingSecret: destination.signingSecret }",
    "signingSecret: newSigningSecret(random) }",
  ),
  destinations("foreign-destinations-rotate", "destination?.accountId !== account.id", "destination === undefined"),
  groups("names-need-not-be-unique", "state.groups.named(account.id, body.name) !== undefined", "false"),
  groups("names-are-looked-for-elsewhere", "state.groups.named(account.id,", "state.groups.named(account.name,"),
  groups(
    "foreign-destinations-in-groups",
    "state.destinations.get(destinationId)?.accountId !== accountId",
    "!state.destinations.has(destinationId)",
  ),
  groups("groups-are-not-kept", "state.groups.set(group.id, group);", ""),
  members("foreign-members-are-read", "member?.accountId === account.id ? member : undefined", "member"),
  members("hours-are-not-removed", "member.hours = undefined;", ""),
  inFile("backend/src/rules/members.ts")(
    "availability-lacks-a-field",
    'status: "available",\n      busy: member.busy,',
    'status: "available",',
  ),
  calls("calls-are-not-kept", "state.calls.set(call.id, call);", ""),
  calls("answer-names-another-call", "callId: call.id", "callId: random.uuid()"),
  inFile("backend/src/rules/calls.ts")("foreign-calls-are-listed", "call.accountId === accountId &&", ""),
  inFile("backend/src/platform/signer.ts")("signature-time-in-milliseconds", "Math.floor(at / 1000)", "Math.floor(at)"),
];

/** Every bug that a run must find. */
export const mutants: readonly Mutant[] = [
  ...effects,
  ...classes,
  ...waits,
  ...deadlines,
  ...credentials,
  ...looks,
  ...verifier,
  ...backend,
];
