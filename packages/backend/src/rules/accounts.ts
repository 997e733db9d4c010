import { limits, type RoleDefinition } from "@call-transfer/spec";
import type { AccountRecord, DestinationRecord } from "../model/records.ts";
import { type Problem, problem } from "../utils/problem.ts";
import type { Random } from "../utils/random.ts";

/** The problem of a suspended account; undefined for any other. */
export function checkSuspended(account: Pick<AccountRecord, "suspended">): Problem | undefined {
  return account.suspended ? problem("account_suspended") : undefined;
}

const resources = [
  "accounts",
  "api_keys",
  "billing",
  "calls",
  "campaigns",
  "contacts",
  "flows",
  "invitations",
  "lead_sources",
  "members",
  "phone_numbers",
  "providers",
  "roles",
  "schedules",
  "transfers",
];
const read = resources.map((resource) => `${resource}:read`);
const write = resources.map((resource) => `${resource}:write`);
const owned = ["accounts:write", "billing:write"];

/** The built-in roles with assumed permissions, since §2.5 does not list them. */
export const builtInRoles: readonly RoleDefinition[] = [
  { role: "agent", permissions: ["accounts:read", "calls:read", "calls:write", "roles:read", "transfers:read"] },
  { role: "member", permissions: [...read, "calls:write", "contacts:write"] },
  { role: "admin", permissions: [...read, ...write.filter((permission) => !owned.includes(permission))] },
  { role: "owner", permissions: [...read, ...write] },
];

/** A new signing secret: an opaque text. */
export function newSigningSecret(random: Random): string {
  return random.text(40);
}

/** A new API key in the form of §5.1. */
export function newApiKey(random: Random): string {
  return `${limits.apiKeyPrefix}${random.text(32)}`;
}

/** The secrets that sign at `now`: the current one first, then the previous one until it expires (§6.2, A-24). */
export function secretsAt(destination: DestinationRecord, now: number): string[] {
  const { signingSecret, previousSecret, previousSecretExpiresAt } = destination;
  const overlaps = previousSecretExpiresAt !== undefined && now < previousSecretExpiresAt;
  return [signingSecret, overlaps ? previousSecret : undefined].filter((secret) => secret !== undefined);
}
