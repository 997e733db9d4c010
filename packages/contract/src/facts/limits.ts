/** Limits that no field of a request expresses. */
export const limits = {
  /** Hours for which the previous secret signs too (§4.1, §8). */
  previousSecretOverlapHours: 24,
  /** Recipients are called from this hour of their day, 8 AM (§7.2, §8). */
  callableFromHour: 8,
  /** And until this one, 9 PM (§7.2, §8). */
  callableUntilHour: 21,
  /** Retries of the official clients (§8). */
  clientMaxRetries: 2,
  /** Timeout of the official clients (§8). */
  clientTimeoutSecs: 60,
  /** How an API key starts (§5.1). */
  apiKeyPrefix: "svc_live_",
  /** The last characters of a secret that its hint shows. */
  signingSecretHintLength: 4,
} as const;

/** The section or assumption of each limit. */
export const limitSections: Readonly<Record<keyof typeof limits, string>> = {
  previousSecretOverlapHours: "§8",
  callableFromHour: "§8",
  callableUntilHour: "§8",
  clientMaxRetries: "§8",
  clientTimeoutSecs: "§8",
  apiKeyPrefix: "§5.1",
  signingSecretHintLength: "A-12",
};

/** Statuses after which the official clients retry; every 5xx besides (§8). */
export const retriedStatuses: readonly number[] = [408, 429];

export const headers = {
  /** Selects the account of a request with a JWT (§5.2). */
  account: "X-Account-Id",
  /** Identifies the request in a response (§2.6). */
  requestId: "X-Request-Id",
  /** Signs a webhook (§6.1). */
  signature: "Service-Signature",
} as const;

/** How every path starts, and no address of a server ends (§1, §9.1). */
export const apiPath = "/api/v1";

/** Requests authenticate with `Authorization: Bearer <token>` (§4, §5.1). */
export const authentication = { type: "http", scheme: "bearer" } as const;

/** Bodies are JSON (§1). */
export const contentType = "application/json";

/**
 * Webhooks (§6, §6.1): the only event, the name of a signature in the header, and the form of the header.
 */
export const webhook = {
  event: "transfer.offer",
  scheme: "v1",
  form: /^t=[^,]+,v1=[^,]+(?:,v1=[^,]+)?$/,
} as const;
