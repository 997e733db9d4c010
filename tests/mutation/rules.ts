// One way, or several, to get each rule of the specification wrong.
import { groupRules, lists, memberRules, rotations, webhooks } from "./account-rules.ts";
import { pages, placements, transferRules } from "./call-rules.ts";
import { authentication, checks, rateLimit } from "./caller-rules.ts";
import type { RuleMutant } from "./mutant.ts";
import { input, phoneNumbers, shapes } from "./wire-rules.ts";

/** Mutants that somebody thought of, under the words for their kind. */
export const ruleMutants: Readonly<Record<string, readonly RuleMutant[]>> = {
  "Credentials, accounts and permissions": authentication,
  "Rate limit": rateLimit,
  "Order of checks": checks,
  "Shape of answers": shapes,
  Validation: [...input, ...phoneNumbers],
  "Destination groups": groupRules,
  "Rotation of secrets": rotations,
  Webhooks: webhooks,
  "Availability and hours": memberRules,
  Transfers: transferRules,
  "Roles and accounts": lists,
  "Placing calls": placements,
  "Listing calls": pages,
};
