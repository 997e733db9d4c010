// One way, or several, to get each rule of the specification wrong.
import type { RuleMutant } from "./mutant.ts";

/** Mutants of one file, whose cases are likely to be of some nouns. */
const inFile =
  (path: string, first: RegExp) =>
  (rule: string, name: string, from: string, to: string): RuleMutant => ({
    name,
    rule,
    file: `backend/src/${path}`,
    from,
    to,
    first,
  });

const credentials = inFile("authenticate.ts", /^(authentication|permissions):/);
const limiting = inFile("authenticate.ts", /^errors: .*rate limit/);
const order = inFile("dispatch.ts", /^order of checks:/);
const answers = inFile("dispatch.ts", /^(errors|roles):/);
const problems = inFile("problem.ts", /^(errors|calls|codes on demand):/);
const faults = inFile("faults.ts", /^codes on demand:/);
const validation = inFile("validate.ts", /^(negatives|errors):/);
const groups = inFile("routes/destination-groups.ts", /^destination-groups:/);
const indexes = inFile("indexes.ts", /^(destination-groups|calls):/);
const destinations = inFile("routes/destinations.ts", /^(destinations|webhooks):/);
const signatures = inFile("signer.ts", /^webhooks:/);
const deliveries = inFile("deliveries.ts", /^webhooks:/);
const members = inFile("routes/members.ts", /^(members|permissions):/);
const availability = inFile("rules/members.ts", /^members:/);
const roles = inFile("routes/roles.ts", /^roles:/);
const accounts = inFile("routes/accounts.ts", /^accounts:/);
const placement = inFile("rules/calls.ts", /^calls:/);
const calls = inFile("routes/calls.ts", /^calls:/);
const policies = inFile("policies.ts", /^calls:/);

const authentication: readonly RuleMutant[] = [
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
    "await compactVerify(token, secret, { algorithms: [algorithm] })",
    '{ payload: Uint8Array.from(atob(token.split(".")[1] ?? ""), (character) => character.charCodeAt(0)) }',
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
    'operation.roles.includes("self") && namesThemselves(',
    'operation.roles.includes("self") || namesThemselves(',
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

const rateLimit: readonly RuleMutant[] = [
  limiting("§8.1", "one request too many is served", "window.count >= requests", "window.count > requests"),
  limiting("§8.1", "one request too few is served", "window.count >= requests", "window.count + 1 >= requests"),
  limiting("§8.1", "requests are not counted", "window.count += 1;", ""),
  limiting("§8.1", "a full window never ends", "now < known.from + windowSecs * 1000", "now > 0"),
  limiting("§8.1", "the wait is not told", ", { meta: { retryAfterSecs: Math.max(1, Math.ceil(waitMs / 1000)) } }", ""),
  limiting("§8.1", "the wait is told too short", "Math.max(1, Math.ceil(waitMs / 1000))", "1"),
  limiting("§8.1", "the wait is told in milliseconds", "Math.max(1, Math.ceil(waitMs / 1000))", "waitMs"),
  limiting("§7.2", "a full rate limit is a full queue", 'problem("rate_limit_exceeded"', 'problem("queue_full"'),
];

const account = "const account = selectAccount(headers, caller, operation, params, state);";
const caller = "const caller = await authenticate(headers, state, tokens, clock.now());";
const limited = "const limited = limitRate(caller, state, policies, clock.now());";

const checks: readonly RuleMutant[] = [
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
    "const early = selectAccount(headers, caller, operation, params, state);\nif (early !== undefined && isProblem(early)) return early;\nconst restricted = restrictKey(",
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
    `const early = readQuery(url.searchParams, operation, contract.schemas[operation.id]?.query);\nif (isProblem(early)) return early;\n${limited}`,
  ),
  order(
    "A-18",
    "the body comes before the account",
    account,
    `const early = operation.hasBody && request instanceof Request ? await readBody(request.clone(), contract.schemas[operation.id]?.body, keep) : { value: undefined };\nif (isProblem(early)) return early;\n${account}`,
  ),
  order(
    "A-18",
    "the body comes before the rate limit",
    limited,
    `const early = operation.hasBody && request instanceof Request ? await readBody(request.clone(), contract.schemas[operation.id]?.body, keep) : { value: undefined };\nif (isProblem(early)) return early;\n${limited}`,
  ),
  credentials(
    "A-18",
    "a key's scope is looked at before it is known",
    'if (key === undefined) return problem("api_key_invalid");',
    'if (key === undefined) return problem("api_key_insufficient_scope");',
  ),
  answers("A-18", "an unknown path asks for a credential", 'problem("not_found", {', 'problem("token_missing", {'),
];

const shapes: readonly RuleMutant[] = [
  answers("§2.6", "the methods of a path are not named", "headers = match && {", "headers = undefined && {"),
  answers("§2.6", "error bodies name no request", "{ ...answer.problem, requestId }", "{ ...answer.problem }"),
  answers("§2.6", "answers name no request", '"X-Request-Id": requestId, Date:', "Date:"),
  inFile("backend.ts", /^errors:/)(
    "§2.6",
    "all requests have one id",
    "const requestId = requestIds.uuid();",
    'const requestId = "request";',
  ),
  answers(
    "§2.6",
    "the body mirrors another status",
    "{ ...answer.problem, requestId }",
    "{ ...answer.problem, status: 400, requestId }",
  ),
  problems("§2.6", "errors have no title", "      title,\n", ""),
  problems("§2.6", "errors have an empty detail", "detail: options.detail ?? meaning", 'detail: ""'),
  problems("§2.6", "failing fields are not named", "...(options.errors && { errors: [...options.errors] }),", ""),
  problems("§8.1", "no error says how long to wait", "...(options.meta && { meta: options.meta }),", ""),
  faults(
    "§2.6",
    "the quota's reset is not told",
    "{ resetsAt: new Date(now + 3_600_000).toISOString() }",
    '{ resetsAt: "soon" }',
  ),
];

const input: readonly RuleMutant[] = [
  validation("§1", "any content type is read as JSON", String.raw`/^application\/json\s*(;|$)/i.test(`, "/^/.test("),
  validation("A-18", "bodies of any size are read", "const maxBodyBytes = 2 ** 20;", "const maxBodyBytes = 2 ** 30;"),
  validation("§7.2", "broken JSON is a validation error", 'problem("invalid_json")', 'problem("validation_failed")'),
  validation(
    "§7.1",
    "only the first failing field is named",
    "return [...found.values()];",
    "return [...found.values()].slice(0, 1);",
  ),
  validation("A-20", "places in lists follow a dot", "text}[", "text}.["),
  validation(
    "A-20",
    "fields are named by their last step only",
    "(text, part) => {",
    '(_text, part) => {\nconst text = "";',
  ),
  validation(
    "A-20",
    "a missing field is of a wrong format",
    'if (value === undefined) return { code: "required"',
    'if (value === undefined) return { code: "invalid_format"',
  ),
  validation(
    "A-20",
    "null is of a wrong format",
    'if (value === null) return { code: "required"',
    'if (value === null) return { code: "invalid_format"',
  ),
  validation("A-20", "too short is out of range", 'code: "too_short"', 'code: "out_of_range"'),
  validation("A-20", "too long is out of range", 'code: "too_long"', 'code: "out_of_range"'),
  validation("A-20", "too small a number is out of range", 'code: "below_minimum"', 'code: "out_of_range"'),
  validation("A-20", "too large a number is out of range", 'code: "above_maximum"', 'code: "out_of_range"'),
  validation(
    "A-20",
    "a wrong type is out of range",
    '"invalid_type") return { code: "invalid_format"',
    '"invalid_type") return { code: "out_of_range"',
  ),
  validation(
    "A-20",
    "a value that is not listed is out of range",
    'if (issue.code === "invalid_value")\n    return { code: "invalid_format"',
    'if (issue.code === "invalid_value")\n    return { code: "out_of_range"',
  ),
  validation(
    "§7.3",
    "a malformed phone number is of a wrong format",
    "return { code: pattern,",
    'return { code: "invalid_format",',
  ),
  validation(
    "§4.2",
    "null does not stand for the default",
    "filled[name] ??= field.def.defaultValue",
    "if (!(name in filled)) filled[name] = field.def.defaultValue",
  ),
  validation("§7.2", "any text is an id", "return uuidForm.test(text);", "return true;"),
  validation("§7.2", "an id may be longer than a UUID", "{12}$/i;", "{12}/i;"),
  validation(
    "§4.6",
    "an empty text is the number 0",
    String.raw`if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;`,
    'if (type === "integer") return Number(text);',
  ),
];

const recipient = "toNumber: z.string()";
const phone = (name: string, change: string): RuleMutant => ({
  name,
  rule: "A-21",
  file: "spec/src/schemas.gen.ts",
  from: recipient,
  to: `${recipient}.overwrite((text) => ${change})`,
  first: /^calls: a recipient/,
});

// Each takes the pattern's number for another one, so that the pattern and its field code stay.
const phoneNumbers: readonly RuleMutant[] = [
  phone("a phone number may begin with 0", String.raw`text.replace(/^\+0/, "+1")`),
  phone("a phone number may have 16 digits", "text.length === 17 ? text.slice(0, -1) : text"),
  phone("a phone number may have 1 digit", String.raw`text.replace(/^(\+[1-9])$/, "$10")`),
  phone("a phone number may not have 15 digits", 'text.length === 16 ? text.concat("00") : text'),
  phone("a phone number may not have 2 digits", "text.length === 3 ? text.slice(0, 2) : text"),
  phone("a phone number needs no plus sign", String.raw`text.replace(/^(?=\d)/, "+")`),
  phone("a phone number may have spaces", 'text.replaceAll(" ", "")'),
  phone("a phone number may end in a line break", "text.trimEnd()"),
  phone("a phone number may have digits of any script", String.raw`text.replaceAll(/\p{Nd}/gu, "1")`),
];

const nameTaken = "state.groups.named(account.id, body.name) !== undefined";

const groupRules: readonly RuleMutant[] = [
  groups("§4.2", "names need not be unique", nameTaken, "false"),
  groups("§4.2", "every name is taken", nameTaken, "true"),
  groups(
    "A-22",
    "names differ in letter case only",
    nameTaken,
    "[...state.groups.values()].some((one) => one.accountId === account.id && one.name.toLowerCase() === body.name.toLowerCase())",
  ),
  groups(
    "A-22",
    "names differ in spaces only",
    nameTaken,
    "[...state.groups.values()].some((one) => one.accountId === account.id && one.name.trim() === body.name.trim())",
  ),
  groups(
    "§4.2",
    "names are unique across accounts",
    nameTaken,
    "[...state.groups.values()].some((one) => one.name === body.name)",
  ),
  groups("§4.2", "a taken name is a validation error", 'problem("resource_already_exists"', 'problem("bad_request"'),
  groups(
    "§2.3",
    "destinations of other accounts are taken",
    "state.destinations.get(destinationId)?.accountId !== accountId",
    "!state.destinations.has(destinationId)",
  ),
  groups(
    "A-22",
    "unknown destinations are taken",
    "state.destinations.get(destinationId)?.accountId !== accountId",
    "(state.destinations.get(destinationId)?.accountId ?? accountId) !== accountId",
  ),
  groups("A-22", "a destination may come twice", "else if (seen.has(destinationId))", "else if (false)"),
  groups("A-22", "a failing member is named by its own list", "const field = `members[", "const field = `list["),
  groups(
    "A-22",
    "only unknown destinations that come first are refused",
    "if (errors.length > 0)",
    'if (errors[0]?.field === "members[0].destinationId")',
  ),
  groups(
    "A-18",
    "a taken name comes before unknown destinations",
    "if (errors.length > 0)",
    "if (errors.length > 0 && state.groups.named(account.id, body.name) === undefined)",
  ),
  groups(
    "A-23",
    "a ring longer than the group's is refused",
    "if (errors.length > 0)",
    'if (body.members.some(({ ringTimeoutSecs = 0 }) => ringTimeoutSecs > body.totalTimeoutSecs)) return problem("validation_failed", { errors: [{ field: "members[0].ringTimeoutSecs", code: "above_maximum", message: "" }] });\n    if (errors.length > 0)',
  ),
  groups(
    "A-23",
    "a ring longer than the group's is cut in the answer",
    "...(ringTimeoutSecs !== undefined && { ringTimeoutSecs })",
    "...(ringTimeoutSecs !== undefined && { ringTimeoutSecs: Math.min(ringTimeoutSecs, body.totalTimeoutSecs) })",
  ),
  groups(
    "A-23",
    "an omitted ring time is filled in",
    "...(ringTimeoutSecs !== undefined && { ringTimeoutSecs })",
    "ringTimeoutSecs: ringTimeoutSecs ?? body.totalTimeoutSecs",
  ),
  groups("§4.2", "ring times are forgotten", "...(ringTimeoutSecs !== undefined && { ringTimeoutSecs })", "...{}"),
  groups(
    "§2.2",
    "members are not in ring order",
    "members: body.members.map(",
    "members: body.members.toReversed().map(",
  ),
  groups(
    "§4.2",
    "the total timeout is always the default",
    "totalTimeoutSecs: body.totalTimeoutSecs",
    "totalTimeoutSecs: 30",
  ),
  groups("§2.2", "another name is kept", "name: body.name,", "name: body.name.trim().toLowerCase(),"),
  groups("§2.2", "groups have no id", "id: random.uuid(),", 'id: "",'),
  groups("§2.2", "all groups have one id", "id: random.uuid(),", "id: account.id,"),
  groups(
    "§2.2",
    "a group is created in the past",
    "const now = clock.iso();",
    "const now = new Date(clock.now() - 1000).toISOString();",
  ),
  groups(
    "§2.2",
    "a new group was updated before it was created",
    "updatedAt: now,",
    "updatedAt: new Date(0).toISOString(),",
  ),
  groups("§4.2", "a group is created by a 200", "status: 201", "status: 200"),
  groups(
    "§2.1",
    "the answer shows the secrets of its destinations",
    "body: shown }",
    "body: { ...shown, secrets: [...state.destinations.values()].map((one) => one.signingSecret) } }",
  ),
  groups("§4.2", "groups are not kept", "state.groups.set(group.id, group);", ""),
  groups(
    "§4.2",
    "a refused group takes its name",
    "if (errors.length > 0)",
    'if (errors.length > 0) state.groups.set(random.uuid(), { accountId: account.id, id: "", name: body.name, strategy: body.strategy, totalTimeoutSecs: 30, members: [], createdAt: "", updatedAt: "" });\n    if (errors.length > 0)',
  ),
];

const unlessFound = "if (destination?.accountId !== account.id)";
const rotations: readonly RuleMutant[] = [
  destinations("§4.1", "destinations of other accounts rotate", unlessFound, "if (destination === undefined)"),
  destinations(
    "§4.1",
    "an unknown destination is a bad request",
    'problem("resource_not_found")',
    'problem("bad_request")',
  ),
  destinations("§4.1", "phones rotate", 'destination.kind !== "app"', 'destination.kind === "available_humans"'),
  destinations("§4.1", "the available people rotate", 'destination.kind !== "app"', 'destination.kind === "phone"'),
  destinations("§4.1", "what is no app is not found", 'problem("bad_request"', 'problem("resource_not_found"'),
  destinations(
    "§6.2",
    "the previous secret is forgotten",
    "destination.previousSecret = destination.signingSecret;",
    "",
  ),
  destinations(
    "A-34",
    "the first secret stays the previous one",
    "destination.previousSecret = destination",
    "destination.previousSecret ??= destination",
  ),
  destinations(
    "A-34",
    "a second rotation does not count the overlap anew",
    "destination.previousSecretExpiresAt = clock",
    "destination.previousSecretExpiresAt ??= clock",
  ),
  destinations("§4.1", "the secret stays", "destination.signingSecret = newSigningSecret(random);", ""),
  destinations(
    "§4.1",
    "the secret is a fixed one",
    "destination.signingSecret = newSigningSecret(random);",
    'destination.signingSecret = "a-secret-that-never-changes";',
  ),
  destinations(
    "§4.1",
    "another secret is shown",
    "signingSecret: destination.signingSecret }",
    "signingSecret: newSigningSecret(random) }",
  ),
  destinations("§4.1", "the secret is not shown", ", signingSecret: destination.signingSecret }", " }"),
  destinations(
    "A-12",
    "the hint is the secret's beginning",
    "slice(-limits.signingSecretHintLength)",
    "slice(0, limits.signingSecretHintLength)",
  ),
  destinations("§2.1", "there is no hint", "signingSecret !== undefined && {", "false && {"),
  destinations("§4.1", "the overlap's end is not told", "previousSecretExpiresAt !== undefined && {", "false && {"),
  destinations("§2.1", "a rotation is no update", "destination.updatedAt = clock.iso();", ""),
  destinations("§4.1", "a rotation answers 201", "status: 200", "status: 201"),
  destinations(
    "§4.1",
    "a rotation disables",
    "destination.updatedAt = clock.iso();",
    "destination.updatedAt = clock.iso();\n    destination.enabled = false;",
  ),
  destinations(
    "§4.1",
    "a rotation forgets the settings",
    "destination.updatedAt = clock.iso();",
    "destination.updatedAt = clock.iso();\n    destination.config = {};",
  ),
];

const webhooks: readonly RuleMutant[] = [
  signatures("§6.1", "the time is in milliseconds", "Math.floor(at / 1000)", "Math.floor(at)"),
  signatures("§6.1", "the time has another name", "[`t=", "[`time="),
  signatures(
    "A-31",
    "the time is not signed",
    "const signed = utf8ToBytes(`",
    "const signed = utf8ToBytes(body);\n  utf8ToBytes(`",
  ),
  signatures(
    "A-31",
    "the body is not signed",
    "const signed = utf8ToBytes(`",
    "const signed = utf8ToBytes(String(timestamp));\n  utf8ToBytes(`",
  ),
  signatures(
    "A-31",
    "signatures are in upper case",
    "utf8ToBytes(secret), signed))}`",
    "utf8ToBytes(secret), signed)).toUpperCase()}`",
  ),
  signatures("§6.2", "the previous secret signs first", "...parts]", "...parts.toReversed()]"),
  signatures("§6.2", "the first signature counts for all", "...parts]", "...parts.map(() => parts[0])]"),
  deliveries("§6.2", "the second signature is dropped", "overlaps ? previousSecret : undefined", "undefined"),
  deliveries(
    "§6.2",
    "only the previous secret signs",
    "[signingSecret, overlaps",
    "[overlaps ? undefined : signingSecret, overlaps",
  ),
  deliveries(
    "A-24",
    "the previous secret signs as it expires",
    "now < previousSecretExpiresAt",
    "now <= previousSecretExpiresAt",
  ),
  deliveries("§6.2", "the previous secret signs for ever", "now < previousSecretExpiresAt", "now > 0"),
  deliveries(
    "§6.2",
    "the previous secret expires a millisecond early",
    "now < previousSecretExpiresAt",
    "now + 1 < previousSecretExpiresAt",
  ),
  deliveries("A-30", "an offer does not say to whom", "createdAt, destinationId })", "createdAt })"),
  deliveries("§6", "an offer is called text", '"content-type": "application/json"', '"content-type": "text/plain"'),
  deliveries(
    "§6",
    "offers go elsewhere",
    "await attempt(send, url,",
    'await attempt(send, "https://elsewhere.example.com/",',
  ),
  deliveries(
    "§6",
    "offers are not sent",
    "const response = await send(",
    "const response = await (async (..._: unknown[]) => new Response())(",
  ),
  deliveries(
    "A-32",
    "every offer is sent twice",
    "const response = await send(url,",
    'await send(url, { method: "POST", ...message });\n    const response = await send(url,',
  ),
];

const memberRules: readonly RuleMutant[] = [
  availability("§3.1", "`until` is ignored", "until !== null && Date.parse(until) <= now", "false"),
  availability("A-24", "`until` ends a millisecond late", "Date.parse(until) <= now", "Date.parse(until) < now"),
  availability("§3.1", "`until` ends a millisecond early", "Date.parse(until) <= now", "Date.parse(until) <= now + 1"),
  availability(
    "§3",
    "without `until` nothing lasts",
    "until !== null && Date.parse(until) <= now",
    "until === null || Date.parse(until) <= now",
  ),
  availability("A-24", "what is over still says who set it", "isOver ? null : source", "source"),
  availability(
    "A-24",
    "what is over still says why, until when and since when",
    "reason: null,\n      until: null,\n      updatedAt: null,",
    "reason,\n      until,\n      updatedAt,",
  ),
  availability("§2.4", "offline reads as away", "...identity, status, busy", '...identity, status: "away", busy'),
  availability(
    "§2.4",
    "whoever is available is not busy",
    'status: "available",\n      busy: member.busy,',
    'status: "available",\n      busy: false,',
  ),
  availability(
    "§2.4",
    "whoever is not available is not busy",
    "...identity, status, busy: member.busy",
    "...identity, status, busy: false",
  ),
  availability(
    "§2.4",
    "whoever is busy is away",
    'status: "available",\n      busy',
    'status: member.busy ? "away" : "available",\n      busy',
  ),
  availability("§2.4", "who set it is not told", "busy: member.busy, source,", "busy: member.busy, source: null,"),
  availability(
    "§3.2",
    "why the platform set it is not told",
    "source, reason, until, updatedAt };",
    "source, reason: null, until, updatedAt };",
  ),
  availability(
    "§2.4",
    "its end is not told",
    "source, reason, until, updatedAt };",
    "source, reason, until: null, updatedAt };",
  ),
  availability(
    "§2.4",
    "since when is not told",
    "source, reason, until, updatedAt };",
    "source, reason, until, updatedAt: null };",
  ),
  availability("§2.4", "the membership stands for the user", "userId: member.userId", "userId: member.id"),
  availability("§2.4", "the user stands for the membership", "memberId: member.id", "memberId: member.userId"),
  members(
    "§4.4",
    "members of other accounts are read",
    "member?.accountId === account.id ? member : undefined",
    "member",
  ),
  members("§4.4", "nobody is found", "member?.accountId === account.id ? member : undefined", "undefined"),
  members(
    "A-26",
    "hours that are not set are not found",
    "member.hours = undefined;",
    'if (member.hours === undefined) return problem("resource_not_found");\n    member.hours = undefined;',
  ),
  members(
    "§4.3",
    "removing hours makes available",
    "member.hours = undefined;",
    'member.hours = undefined;\n    member.availability = { status: "available" };',
  ),
  members("§4.3", "removing hours answers 200", "status: 204", "status: 200, body: {}"),
];

const lists: readonly RuleMutant[] = [
  roles("§4.5", "a role is not listed", "[...state.roles.values()]", "[...state.roles.values()].slice(1)"),
  roles(
    "§4.5",
    "a role is listed twice",
    "[...state.roles.values()]",
    "[...state.roles.values(), ...[...state.roles.values()].slice(1)]",
  ),
  roles(
    "§4.5",
    "roles permit nothing",
    "[...state.roles.values()]",
    "[...state.roles.values()].map((one) => ({ ...one, permissions: [] }))",
  ),
  roles("§2.5", "permissions have another form", "resource}:read`", "resource}.read`"),
  roles(
    "§4.5",
    "roles permit the same twice",
    "permissions: [...read, ...write] }",
    "permissions: [...read, ...write, ...read] }",
  ),
  accounts("A-10", "all accounts are listed", "filter(({ id }) => accessible.has(id))", "filter(() => true)"),
  accounts("A-10", "no account is listed", "filter(({ id }) => accessible.has(id))", "filter(() => false)"),
];

const cannotRing = 'problem("flow_not_published")';
const placements: readonly RuleMutant[] = [
  placement(
    "§7.2",
    "flows that are not published run",
    "flow?.accountId === account.id && flow.published",
    "flow?.accountId === account.id",
  ),
  placement(
    "§4.6",
    "flows of other accounts run",
    "flow?.accountId === account.id && flow.published",
    "flow?.published",
  ),
  placement(
    "§7.2",
    "an unknown flow runs",
    "flow?.accountId === account.id && flow.published",
    "flow === undefined || (flow.accountId === account.id && flow.published)",
  ),
  placement("§7.2", "an unpublished flow is a broken rule", cannotRing, 'problem("business_rule_violation")'),
  placement(
    "§4.6",
    "numbers of other accounts are used",
    "number?.accountId === account.id && number.active",
    "number?.active",
  ),
  placement(
    "§7.2",
    "numbers that are not active are used",
    "number?.accountId === account.id && number.active",
    "number?.accountId === account.id",
  ),
  placement("§7.2", "numbers that are not verified are used", "?.verified ?", "?.accountId ?"),
  placement("§7.2", "numbers that only receive are used", "?.canInitiateCalls ?", "?.accountId ?"),
  placement("§4.6", "any provider may be named", "providerId !== undefined && providerId !== owner", "false"),
  placement(
    "§4.6",
    "no provider may be named",
    "providerId !== undefined && providerId !== owner",
    "providerId !== undefined",
  ),
  placement("§7.2", "a provider's rejection is ignored", "(provider.rejects || ", "("),
  placement("§7.2", "the do-not-call list is ignored", "contact?.doNotCall ?", "false ?"),
  placement("§7.2", "every contact is on the do-not-call list", "contact?.doNotCall ?", "contact ?"),
  placement("§8", "callable hours begin late", "hour >= limits.callableFromHour", "hour > limits.callableFromHour"),
  placement("§8", "callable hours end late", "hour < limits.callableUntilHour", "hour <= limits.callableUntilHour"),
  placement(
    "§8",
    "callable hours never begin",
    "hour >= limits.callableFromHour && hour < limits.callableUntilHour",
    "false",
  ),
  placement(
    "§8",
    "callable hours are those of the account",
    "contact?.timeZone ?? account.timeZone",
    "account.timeZone",
  ),
  placement(
    "A-37",
    "callable hours of an unknown recipient are those of UTC",
    "contact?.timeZone ?? account.timeZone",
    'contact?.timeZone ?? "UTC"',
  ),
  placement(
    "§7.2",
    "one call too many is placed in a day",
    "today >= policies.dailyCallLimit",
    "today > policies.dailyCallLimit",
  ),
  placement(
    "§7.2",
    "one call too few is placed in a day",
    "today >= policies.dailyCallLimit",
    "today + 1 >= policies.dailyCallLimit",
  ),
  placement("§7.2", "a full day is a full queue", 'problem("daily_call_limit_exceeded")', 'problem("queue_full")'),
  indexes("§8", "the day ends an hour late", "Math.floor(at / dayMs)", "Math.floor((at - 3_600_000) / dayMs)"),
  indexes("§8", "the day ends an hour early", "Math.floor(at / dayMs)", "Math.floor((at + 3_600_000) / dayMs)"),
  indexes("§8", "inbound calls count against the day's limit", 'if (direction !== "outbound") return;', ""),
  placement(
    "§8.2",
    "one call too many runs at once",
    "active.size < policies.concurrentCallLimit",
    "active.size <= policies.concurrentCallLimit",
  ),
  placement(
    "§8.2",
    "any number of calls runs at once",
    "active.size < policies.concurrentCallLimit && waiting.size === 0",
    "true",
  ),
  placement(
    "§8.2",
    "a full account refuses instead of queueing",
    "if (waiting.size < policies.callQueueLimit)",
    'if (active.size >= policies.concurrentCallLimit) return problem("concurrent_call_limit_exceeded");\n  if (waiting.size < policies.callQueueLimit)',
  ),
  placement(
    "§8.2",
    "one call too many waits",
    "waiting.size < policies.callQueueLimit",
    "waiting.size <= policies.callQueueLimit",
  ),
  placement(
    "§8.2",
    "one call too few waits",
    "waiting.size < policies.callQueueLimit",
    "waiting.size + 1 < policies.callQueueLimit",
  ),
  placement("A-25", "positions count from 0", "position: waiting.size + 1", "position: waiting.size"),
  placement("A-25", "everybody waits in the first position", "position: waiting.size + 1", "position: 1"),
  placement(
    "§7.2",
    "a full queue is a full account",
    'problem("queue_full"',
    'problem("concurrent_call_limit_exceeded"',
  ),
  placement(
    "A-40",
    "a full queue does not say how long to wait",
    '"queue_full", { meta',
    '"queue_full", false && { meta',
  ),
  policies("A-25", "calls last a second too long", "callDurationSecs: 60", "callDurationSecs: 61"),
  policies("A-25", "calls end a second early", "callDurationSecs: 60", "callDurationSecs: 59"),
  calls("§4.6", "a placed call is not accepted yet", "status: 201, body: { type", "status: 202, body: { type"),
  calls("§4.6", "a queued call is placed", "status: 202, body: placement", "status: 201, body: placement"),
  calls("§4.6", "the answer names another call", "callId: call.id", "callId: random.uuid()"),
  calls("§4.6", "calls are not kept", "state.calls.set(call.id, call);", ""),
  calls(
    "§4.6",
    "refused calls are kept",
    "if (isProblem(placement)) return placement;",
    'if (isProblem(placement)) {\n      const id = random.uuid();\n      state.calls.set(id, { id, accountId: account.id, direction: "outbound", status: "failed", duration: 0, createdAt: now, startedAt: undefined, request: body });\n      return placement;\n    }',
  ),
  calls("§4.6", "placed calls are inbound", 'direction: "outbound"', 'direction: "inbound"'),
  calls("A-25", "the queue does not move", "drainQueue(world, call.accountId, at);", ""),
  calls(
    "A-25",
    "the last one in the queue is the first",
    "of waiting.values())",
    "of [...waiting.values()].toReversed())",
  ),
  calls(
    "A-25",
    "the whole queue moves at once",
    "active.size >= world.policies.concurrentCallLimit",
    "active.size >= 1000",
  ),
  calls(
    "§4.6",
    "durations are in milliseconds",
    "(call.startedAt ?? call.createdAt)) / 1000)",
    "(call.startedAt ?? call.createdAt)) / 1)",
  ),
  calls(
    "§4.6",
    "durations count from the placement",
    "now - (call.startedAt ?? call.createdAt)",
    "now - call.createdAt",
  ),
  calls("§4.6", "a call that ended had no duration", "duration: elapsedSecs(call, at)", "duration: 0"),
];

const pages: readonly RuleMutant[] = [
  calls("§4.6", "the total is the page's", "meta: { total: calls.length }", "meta: { total: page.length }"),
  calls(
    "§4.6",
    "`offset` is ignored",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(0, query.limit)",
  ),
  calls(
    "§4.6",
    "`limit` is ignored",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset)",
  ),
  calls(
    "§4.6",
    "`limit` counts from the start of the list",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset, query.limit)",
  ),
  calls("§4.6", "pages overlap", "query.offset + query.limit)", "query.offset + query.limit + 1)"),
  calls(
    "§4.6",
    "`offset` counts pages",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset * query.limit, (query.offset + 1) * query.limit)",
  ),
  placement("§4.6", "calls of other accounts are listed", "call.accountId === accountId &&", ""),
  placement("A-9", "a call at the start date is left out", "call.createdAt >= from", "call.createdAt > from"),
  placement("§4.6", "`startDate` is ignored", "call.createdAt >= from", "true"),
  placement("§4.6", "`status` is ignored", "(filter.status === undefined || call.status === filter.status)", "true"),
  placement("A-9", "the oldest call comes first", "b.createdAt - a.createdAt", "a.createdAt - b.createdAt"),
  placement(
    "A-39",
    "queued calls are not listed",
    '(call.status !== "queued" || policies.queuedCallsListed)',
    'call.status !== "queued"',
  ),
];

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
  "Roles and accounts": lists,
  "Placing calls": placements,
  "Listing calls": pages,
};
