// What an account has: groups, destinations with their webhooks, members and roles (§2 to §6).
import { inFile, type RuleMutant } from "./mutant.ts";

const groups = inFile("routes/destination-groups.ts", /^destination-groups:/);
const destinations = inFile("routes/destinations.ts", /^(destinations|webhooks):/);
const signatures = inFile("platform/signer.ts", /^webhooks:/);
const secrets = inFile("rules/secrets.ts", /^webhooks:/);
const deliveries = inFile("platform/deliveries.ts", /^webhooks:/);
const members = inFile("routes/members.ts", /^(members|permissions):/);
const availability = inFile("rules/members.ts", /^members:/);
const roles = inFile("routes/roles.ts", /^roles:/);
const permissions = inFile("rules/roles.ts", /^roles:/);
const accounts = inFile("routes/accounts.ts", /^accounts:/);

const nameTaken = "state.groups.named(account.id, body.name) !== undefined";

/** What a group takes, keeps and shows (§2.2, §4.2). */
export const groupRules: readonly RuleMutant[] = [
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

/** What a rotation changes and shows (§4.1). */
export const rotations: readonly RuleMutant[] = [
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

/** How offers are signed and sent (§6). */
export const webhooks: readonly RuleMutant[] = [
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
  secrets("§6.2", "the second signature is dropped", "overlaps ? previousSecret : undefined", "undefined"),
  secrets(
    "§6.2",
    "only the previous secret signs",
    "[signingSecret, overlaps",
    "[overlaps ? undefined : signingSecret, overlaps",
  ),
  secrets(
    "A-24",
    "the previous secret signs as it expires",
    "now < previousSecretExpiresAt",
    "now <= previousSecretExpiresAt",
  ),
  secrets("§6.2", "the previous secret signs for ever", "now < previousSecretExpiresAt", "now > 0"),
  secrets(
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
    "await attempt(this.#send, url,",
    'await attempt(this.#send, "https://elsewhere.example.com/",',
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

/** How availability reads, and what the removal of hours does to it (§2.4, §3, §4.3). */
export const memberRules: readonly RuleMutant[] = [
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

/** What the lists of roles and accounts hold (§4.5, §4.6). */
export const lists: readonly RuleMutant[] = [
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
  permissions("§2.5", "permissions have another form", "resource}:read`", "resource}.read`"),
  permissions(
    "§4.5",
    "roles permit the same twice",
    "permissions: [...read, ...write] }",
    "permissions: [...read, ...write, ...read] }",
  ),
  accounts("A-10", "all accounts are listed", "filter(({ id }) => accessible.has(id))", "filter(() => true)"),
  accounts("A-10", "no account is listed", "filter(({ id }) => accessible.has(id))", "filter(() => false)"),
];
