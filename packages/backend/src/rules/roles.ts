import type { RoleDefinition } from "@call-transfer/spec";

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
