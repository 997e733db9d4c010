import { defaultMaxRetries, defaultTimeoutMs } from "../generated/operations.gen.ts";
import { isText } from "../utils/guards.ts";
import { type Auth, createAuth } from "./auth.ts";
import { check, checkOptions, clientRules, retryRules } from "./checks.ts";
import type { ClientOptions, Clock, Logger } from "./options.ts";
import { RetryBudget } from "./retry-budget.ts";

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

const defaults = {
  timeoutMs: defaultTimeoutMs,
  maxRetries: defaultMaxRetries,
  maxRetryAfterSecs: 60,
  middleware: [],
  headers: {},
  clock: systemClock,
  random: () => Math.random(),
} satisfies Partial<ClientOptions>;

type Defaulted = keyof typeof defaults;

/** Options of a client after checks, with their defaults. */
export interface Settings
  extends Readonly<Omit<ClientOptions, Defaulted | "apiKey" | "accessToken" | "logger" | "retry">>,
    Readonly<{ [Name in Defaulted]: NonNullable<ClientOptions[Name]> }> {
  readonly auth: Auth;
  readonly budget: RetryBudget | undefined;
  readonly unsafe: "never" | "check" | "always";
  /** Writes to the caller's logger, if there is one. Its errors are ignored. */
  readonly log: (level: keyof Logger, message: () => string) => void;
  /** Operations whose deprecation was logged. */
  readonly loggedDeprecations: Set<string>;
  /** Milliseconds since any fixed moment, unaffected by clock corrections. */
  readonly elapsed: () => number;
}

function resolveAuth({ apiKey, accessToken, allowApiKeyInBrowser }: ClientOptions, parent?: Auth): Auth {
  check(apiKey === undefined || accessToken === undefined, "accessToken", "and apiKey cannot be combined. Pass one.");
  if (accessToken !== undefined) return createAuth("accessToken", accessToken, parent);
  check(apiKey !== undefined, "apiKey", "or accessToken is required");
  // Visitors can read the memory of a page or a web worker.
  const inBrowser = "document" in globalThis || "importScripts" in globalThis;
  const problem = "would be exposed in the browser. Use accessToken, or set allowApiKeyInBrowser: true.";
  check(allowApiKeyInBrowser === true || !inBrowser, "apiKey", problem);
  return createAuth("apiKey", apiKey, parent);
}

const loopback = /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

function resolveBaseUrl({ baseUrl, allowInsecureHttp }: ClientOptions): string {
  const isWeb = isText(baseUrl, /^https?:/i) && URL.canParse(baseUrl);
  check(isWeb, "baseUrl", "must be a URL such as https://api.example.com");
  const { protocol, hostname, origin, pathname, username, password } = new URL(baseUrl);
  check(!username && !password && !/[?#]/.test(baseUrl), "baseUrl", "must not have a user name, query or fragment");
  const path = pathname.replace(/\/+$/, "");
  check(!path.endsWith("/api/v1"), "baseUrl", "must not include /api/v1");
  const secure = protocol === "https:" || loopback.test(hostname) || allowInsecureHttp === true;
  check(secure, "baseUrl", "must use https. In a private network, set allowInsecureHttp: true.");
  return origin + path;
}

/**
 * Checks a client's options and fills in the defaults.
 *
 * @param parent Settings to share the retry budget, renewed tokens and logged deprecations with.
 * @throws {ConfigurationError} An option is missing or invalid. The message never holds a secret.
 */
export function resolveSettings(options: ClientOptions, parent?: Settings): Settings {
  const given = checkOptions(options, clientRules);
  const { apiKey, accessToken, retry = {}, logger, ...rest } = given;
  const { unsafe = "never", budget = true } = checkOptions(retry, retryRules, "retry.");
  const filled = { ...defaults, ...rest };
  const { clock } = filled;
  return {
    ...filled,
    auth: resolveAuth(given, parent?.auth),
    baseUrl: resolveBaseUrl(given),
    budget: budget ? (parent?.budget ?? new RetryBudget()) : undefined,
    unsafe,
    log(level, message) {
      try {
        logger?.[level](`call-transfer: ${message()}`);
      } catch {
        // A failing logger must not break the request.
      }
    },
    loggedDeprecations: parent?.loggedDeprecations ?? new Set(),
    elapsed: () => (clock.elapsed ? clock.elapsed() : clock.now()),
  };
}
