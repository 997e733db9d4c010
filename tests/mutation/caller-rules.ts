// The caller: credential, account, permission, rate limit, and the order in which they are looked at (§5, §8).
import { inFile, type RuleMutant } from "./mutant.ts";

const credentials = inFile("http/authenticate.ts", /^(authentication|permissions):/);
const limiting = inFile("http/authenticate.ts", /^errors: .*rate limit/);
const order = inFile("http/dispatch.ts", /^check order:/);
const answers = inFile("http/dispatch.ts", /^(errors|roles):/);

/** Who calls, for which account, and what they may (§5). */
export const authentication: readonly RuleMutant[] = [
  credentials(
    "§5.4",
    "a request without a credential has an invalid token",
    'if (!header) return problem("token_missing")',
    'if (!header) return problem("token_invalid")',
  ),
  credentials("A-42", "any scheme is Bearer", 'scheme.toLowerCase() !== "bearer"', 'scheme === ""'),
  credentials("§5.3", "an unknown key is an invalid token", 'problem("api_key_invalid")', 'problem("token_invalid")'),
  credentials("§5.3", "revoked keys serve", 'key.state === "revoked"', "false"),
  credentials("§5.3", "a revoked key is called expired", 'problem("api_key_revoked")', 'problem("api_key_expired")'),
  credentials("§5.3", "expired keys serve", 'key.state === "expired" ||', ""),
  credentials(
    "§5.3",
    "an expired key is called revoked",
    'return problem("api_key_expired")',
    'return problem("api_key_revoked")',
  ),
  credentials(
    "§5.4",
    "expired tokens serve",
    'if (claims.expiresAt * 1000 <= now) return problem("token_expired");',
    "",
  ),
  credentials("§5.4", "an expired token is called invalid", 'problem("token_expired")', 'problem("token_invalid")'),
  credentials(
    "§5.4",
    "any signature of a token serves",
    "await compactVerify(",
    'await (async (..._: unknown[]) => ({ payload: Uint8Array.from(atob(token.split(".")[1] ?? ""), (one) => one.charCodeAt(0)) }))(',
  ),
  credentials(
    "§5.4",
    "an invalid token is called expired",
    'state.users.has(claims.userId)) return problem("token_invalid")',
    'state.users.has(claims.userId)) return problem("token_expired")',
  ),
  credentials(
    "§5.3",
    "keys serve from any address",
    "allowedIps !== undefined && !allowedIps.some(",
    "false && !allowedIps.some(",
  ),
  credentials("A-33", "a header says from which address a key is used", "policies.trustForwardedFor ?", "true ?"),
  credentials("§5.3", "only the first allowed address serves", "allowedIps.some(", "allowedIps.slice(0, 1).some("),
  credentials("§5.3", "every scope serves", "scopes !== undefined && !scopes.includes(operation.scope)", "false"),
  credentials(
    "§5.3",
    "no scope serves",
    "scopes !== undefined && !scopes.includes(operation.scope)",
    "scopes !== undefined",
  ),
  credentials(
    "§5.3",
    "a missing scope is a missing permission",
    'problem("api_key_insufficient_scope"',
    'problem("insufficient_permissions"',
  ),
  credentials(
    "§5.3",
    "a restricted address is a missing permission",
    'problem("api_key_ip_restricted")',
    'problem("insufficient_permissions")',
  ),
  credentials(
    "§5.2",
    "without the account header the first account counts",
    "(named ?? caller.key.accountId) : named",
    "(named ?? caller.key.accountId) : (named ?? state.accounts.keys().next().value)",
  ),
  credentials(
    "§5.2",
    "a missing account header is a missing permission",
    'problem("account_header_missing")',
    'problem("account_access_denied")',
  ),
  credentials("§5.2", "keys need the account header", "(named ?? caller.key.accountId) : named", "named : named"),
  credentials("A-17", "a key's account header is ignored", "(named ?? caller.key.accountId)", "caller.key.accountId"),
  credentials(
    "§5.5",
    "strangers have the owner's role",
    "= roleIn(accountId, caller, state);",
    '= roleIn(accountId, caller, state) ?? "owner";',
  ),
  credentials(
    "A-17",
    "keys serve in every account",
    "caller.key.accountId === accountId ? caller.key.role : undefined",
    "caller.key.role",
  ),
  credentials("A-17", "every key has the owner's role", "? caller.key.role : undefined", '? "owner" : undefined'),
  credentials(
    "A-42",
    "suspended accounts are served",
    'if (account.suspended) return problem("account_suspended");',
    "",
  ),
  credentials(
    "§4.3",
    "everybody is the member themselves",
    'operation.roles.includes("self") && isSameUser(',
    'operation.roles.includes("self") || isSameUser(',
  ),
  credentials("§4.3", "nobody is the member themselves", 'operation.roles.includes("self") &&', "false &&"),
  credentials(
    "§4.3",
    "any member is the member themselves",
    "=== accountId && member.userId === caller.userId;",
    "=== accountId;",
  ),
  credentials("§5.5", "every role may do everything", "!isSelf && !operation.roles.includes(role)", "false"),
  credentials("§5.5", "no role is enough", "!isSelf && !operation.roles.includes(role)", "!isSelf"),
];

/** How many requests are served, and what the others are told (§8.1). */
export const rateLimit: readonly RuleMutant[] = [
  limiting("§8.1", "one request too many is served", "window.count >= requests", "window.count > requests"),
  limiting("§8.1", "one request too few is served", "window.count >= requests", "window.count + 1 >= requests"),
  limiting("§8.1", "requests are not counted", "window.count += 1;", ""),
  limiting("§8.1", "a full window never ends", "now < known.from + windowSecs * 1000", "now > 0"),
  limiting("§8.1", "the wait is not told", ", { meta: { retryAfterSecs: Math.max(1, Math.ceil(waitMs / 1000)) } }", ""),
  limiting("§8.1", "the wait is told too short", "Math.max(1, Math.ceil(waitMs / 1000))", "1"),
  limiting("§8.1", "the wait is told in milliseconds", "Math.max(1, Math.ceil(waitMs / 1000))", "waitMs"),
  limiting("§7.2", "a full rate limit is a full queue", 'problem("rate_limit_exceeded"', 'problem("queue_full"'),
];

const account = "const account = selectAccount({ headers, operation, params }, caller, state);";
const caller = "const caller = await authenticate(headers, state, tokens, clock.now());";
const limited = "const limited = limitRate(caller, state, policies, clock.now());";

/** Which of two faults in one request is answered. */
export const checks: readonly RuleMutant[] = [
  order(
    "A-18",
    "the rate limit comes before the credential",
    caller,
    `if (policies.rateLimit.requests === 0) return problem("rate_limit_exceeded");\n${caller}`,
  ),
  order(
    "A-18",
    "the rate limit comes before the account",
    account,
    `if (policies.rateLimit.requests === 0) return problem("rate_limit_exceeded");\n${account}`,
  ),
  order(
    "A-18",
    "the account comes before the key's limits",
    "const restricted = restrictKey(",
    "const early = selectAccount({ headers, operation, params }, caller, state);\nif (early !== undefined && isProblem(early)) return early;\nconst restricted = restrictKey(",
  ),
  order(
    "A-18",
    "the id's form comes before the account",
    account,
    `for (const value of Object.values(params)) if (!isUuid(value)) return problem("invalid_id_format");\n${account}`,
  ),
  order(
    "A-18",
    "the id's form comes before the rate limit",
    limited,
    `for (const value of Object.values(params)) if (!isUuid(value)) return problem("invalid_id_format");\n${limited}`,
  ),
  order(
    "A-18",
    "the id's form comes before the credential",
    caller,
    `for (const value of Object.values(params)) if (!isUuid(value)) return problem("invalid_id_format");\n${caller}`,
  ),
  order(
    "A-18",
    "the query comes before the rate limit",
    limited,
    `const early = readQuery(url.searchParams, operation, table.schemas[operation.id]?.query);\nif (isProblem(early)) return early;\n${limited}`,
  ),
  order(
    "A-18",
    "the body comes before the account",
    account,
    `const early = operation.hasBody && request instanceof Request ? await readBody(request.clone(), table.schemas[operation.id]?.body, recordBody) : { value: undefined };\nif (isProblem(early)) return early;\n${account}`,
  ),
  order(
    "A-18",
    "the body comes before the rate limit",
    limited,
    `const early = operation.hasBody && request instanceof Request ? await readBody(request.clone(), table.schemas[operation.id]?.body, recordBody) : { value: undefined };\nif (isProblem(early)) return early;\n${limited}`,
  ),
  credentials(
    "A-18",
    "a key's scope is looked at before it is known",
    'if (key === undefined) return problem("api_key_invalid");',
    'if (key === undefined) return problem("api_key_insufficient_scope");',
  ),
  answers("A-18", "an unknown path asks for a credential", 'problem("not_found", {', 'problem("token_missing", {'),
];
