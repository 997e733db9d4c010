import { defaultMaxRetries, defaultTimeoutMs } from "../generated/constants.gen.ts";
import { isText } from "../utils/guards.ts";
import { onceAMinute, type PrintedCauses } from "../utils/once-a-minute.ts";
import { Auth } from "./auth.ts";
import { check, checkOptions, clientRules, type Given, loggedLevels, logLevels, retryRules } from "./checks.ts";
import { completeClock, ServerTime, systemClock, type Timers } from "./clock.ts";
import type { AccessTokenFunction, ClientOptions, Logger, RetryOptions } from "./options.ts";
import { RetryBudgets } from "./retry-budget.ts";
import { checkRuntime, inBrowser, inReactNative, readVariable, userAgentHeader } from "./runtime.ts";

/** Options of a client by default, except those of retries. */
export const defaults = {
  timeoutMs: defaultTimeoutMs,
  maxRetries: defaultMaxRetries,
  middleware: [],
  headers: {},
  clock: systemClock,
  random: () => Math.random(),
} satisfies Partial<ClientOptions>;

/** Retry policy with its defaults. */
export type RetryPolicy = Readonly<Required<Given<RetryOptions>>>;

/** The retry policy by default. */
export const defaultRetryPolicy: RetryPolicy = {
  maxRetryAfterMs: 60_000,
  onUnknownOutcome: "throw",
  trust503Codes: false,
  budget: true,
};

/** Environment variables by the option that they stand for. */
const variables = {
  apiKey: "CALL_TRANSFER_API_KEY",
  baseUrl: "CALL_TRANSFER_BASE_URL",
  logLevel: "CALL_TRANSFER_LOG",
} as const satisfies { readonly [Name in keyof ClientOptions]: string };

type Defaulted = keyof typeof defaults;

/** Options of a client after checks, with their defaults. */
export interface Settings
  extends Readonly<Omit<ClientOptions, Defaulted | "baseUrl" | "apiKey" | "accessToken" | "logger" | "retry">>,
    Readonly<{ [Name in Defaulted]: NonNullable<ClientOptions[Name]> }> {
  readonly baseUrl: string;
  readonly auth: Auth;
  readonly budgets: RetryBudgets | undefined;
  readonly retryPolicy: RetryPolicy;
  /**
   * Writes to the logger, by level, without the levels below the log level. Its errors are ignored. Without a logger, messages
   * with a cause are printed once a cause and a minute.
   */
  readonly log: { readonly [Level in keyof Logger]?: (message: () => string, cause?: string) => void };
  readonly printedCauses: PrintedCauses;
  readonly loggedDeprecations: Set<string>;
  /** What is known of the server's clock, beside this client's. */
  readonly serverTime: ServerTime;
  readonly timers: Timers;
  /** Milliseconds since any fixed moment, unaffected by clock corrections. */
  readonly elapsed: () => number;
}

/** An option, what a copy inherits from its original, or the environment variable, with its name for messages. */
function readOption<Name extends keyof typeof variables>(
  given: ClientOptions,
  name: Name,
  inherited?: ClientOptions[Name],
): readonly [value: ClientOptions[Name], name: string] {
  const variable = variables[name];
  const value = given[name] ?? inherited;
  const text = value === undefined ? readVariable(variable) : undefined;
  if (text === undefined) return [value, name];
  const [accepts, problem] = clientRules[name];
  check(accepts(text), variable, problem);
  return [text as ClientOptions[Name], variable];
}

function resolveAuth(given: ClientOptions, hasTokenOption: boolean, parent?: Auth): Auth {
  const { apiKey: ownKey, accessToken, dangerouslyAllowBrowser } = given;
  check(ownKey === undefined || accessToken === undefined, "accessToken", "and apiKey cannot be combined. Pass one.");
  const authOf = (kind: Auth["kind"], source: string | AccessTokenFunction): Auth =>
    parent?.isFrom(kind, source) ? parent : new Auth(kind, source);
  if (accessToken !== undefined) return authOf("accessToken", accessToken);
  if (ownKey === undefined && parent && !hasTokenOption) return parent;
  // Where a user's token turns out to be undefined, the application's own key must not take its place.
  const [apiKey] = hasTokenOption ? [ownKey] : readOption(given, "apiKey");
  // A page has no environment variables, and a token was meant where the option is present.
  const meansToken = hasTokenOption || inBrowser();
  const hint = "is undefined. Pass a token, or a function that returns one.";
  check(apiKey !== undefined || !meansToken, "accessToken", hint);
  check(apiKey !== undefined, "apiKey", `or accessToken is required. Pass one, or set ${variables.apiKey}.`);
  // Visitors can read the memory of a page or a web worker, and users that of an app.
  const isExposed = dangerouslyAllowBrowser !== true && (inBrowser() || inReactNative());
  check(!isExposed, "apiKey", "would be exposed to every user. Use accessToken, or set dangerouslyAllowBrowser: true.");
  return authOf("apiKey", apiKey);
}

const loopback = /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/** Not by `URL.canParse`, which is newer than some runtimes. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function resolveBaseUrl(given: ClientOptions, inherited?: string): string {
  const [baseUrl, name] = readOption(given, "baseUrl", inherited);
  const [orVariable, orOrigin] = inBrowser() ? ["", " or location.origin"] : [`, or set ${variables.baseUrl}`, ""];
  check(baseUrl !== undefined, name, `is required. Pass it${orVariable}.`);
  const url = isText(baseUrl, /^https?:/i) ? parseUrl(baseUrl) : undefined;
  check(url !== undefined, name, `must be a URL with https:// or http://, such as https://api.example.com${orOrigin}`);
  const { protocol, hostname, origin, pathname, username, password, href } = url;
  check(!username && !password && !/[?#]/.test(href), name, "must not have a user name, query or fragment");
  const path = pathname.replace(/\/+$/, "");
  check(!path.endsWith("/api/v1"), name, "must not include /api/v1");
  const secure = protocol === "https:" || loopback.test(hostname) || given.allowInsecureHttp === true;
  check(secure, name, "must use https. In a private network, set allowInsecureHttp: true.");
  return origin + path;
}

/** Copies headers, and sets others over them. */
export function withHeaders(
  shared: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Headers {
  const headers = new Headers(shared);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/** Checks a client's options and fills in the defaults. A copy shares what its requests have in common with its parent. */
export function resolveSettings(options: ClientOptions, parent?: Settings): Settings {
  checkRuntime();
  const given = checkOptions(options, clientRules);
  const { apiKey, accessToken, retry = {}, logger, ...rest } = given;
  const [givenLevel] = readOption(given, "logLevel", parent?.logLevel);
  const logLevel = givenLevel ?? (logger ? "debug" : "warn");
  const retryPolicy: RetryPolicy = { ...defaultRetryPolicy, ...checkOptions(retry, retryRules, "retry.") };
  const filled = { ...defaults, ...rest };
  const { clock } = filled;
  const baseUrl = resolveBaseUrl(given, parent?.baseUrl);
  const knowsTime = parent?.clock === clock && parent.baseUrl === baseUrl;
  const { timers, elapsed } = completeClock(clock);
  const printedCauses: PrintedCauses = parent?.printedCauses ?? new Map();
  return {
    ...filled,
    headers: Object.fromEntries(withHeaders(userAgentHeader(), given.headers)),
    // Copied, so that later changes are not sent unchecked.
    fetchOptions: given.fetchOptions && { ...given.fetchOptions },
    auth: resolveAuth(given, "accessToken" in options, parent?.auth),
    baseUrl,
    logLevel: givenLevel,
    retryPolicy,
    budgets: retryPolicy.budget ? (parent?.budgets ?? new RetryBudgets()) : undefined,
    log: Object.fromEntries(
      loggedLevels.slice(logLevels.indexOf(logLevel)).map((level) => [
        level,
        (message: () => string, cause?: string) => {
          const repeats = logger || !cause ? "" : onceAMinute(printedCauses, cause, elapsed());
          if (repeats === undefined) return;
          // Runs at once. A logger that fails, also later, must not break the request.
          (async () => (logger ?? console)[level](`call-transfer: ${message()}${repeats}`))().catch(() => {});
        },
      ]),
    ),
    printedCauses,
    serverTime: knowsTime ? parent.serverTime : new ServerTime(),
    loggedDeprecations: parent?.loggedDeprecations ?? new Set(),
    timers,
    elapsed,
  };
}
