import { isApiError } from "@call-transfer/sdk";
import { limits as contractLimits } from "@call-transfer/spec";
import { timeOf } from "../document/check-response.ts";
import { requestSchema, resolve, type Schema } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { memberOf, valueAt } from "../document/json.ts";
import { limits } from "../facts/limits.ts";
import { describeValue } from "../suite/trace.ts";
import { client, clockToleranceMs, hasOperation, type LiveCase, live, type Session, totalOf } from "./live-case.ts";
import type { LiveOptions } from "./options.ts";

const hourMs = 3_600_000;

const group = requestSchema("createDestinationGroup") ?? {};
const property = (schema: Schema, name: string): Schema => resolve<Schema>(schema.properties?.[name] ?? {});
const member = resolve<Schema>(property(group, "members").items ?? {});
const name = property(group, "name");
const total = property(group, "totalTimeoutSecs");
const ring = property(member, "ringTimeoutSecs");

/** The API error of a call; undefined for success. Rejects with any other error. */
async function apiErrorOf(call: PromiseLike<unknown>) {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}

/** Groups beyond the documented limits (§8), and the expected field error. */
function badGroups(members: Members): Record<string, readonly [change: object, names: string]> {
  const ringing = (ringTimeoutSecs: number) => ({ members: members.map((one) => ({ ...one, ringTimeoutSecs })) });
  const tooLong = "n".repeat((name.maxLength ?? 0) + 1);
  const [shortest, longest] = [(total.minimum ?? 0) - 1, (total.maximum ?? 0) + 1];
  return {
    "an empty name": [{ name: "" }, "name too_short"],
    "a name one character too long": [{ name: tooLong }, "name too_long"],
    "no member": [{ members: [] }, "members too_short"],
    "a total time one second too short": [{ totalTimeoutSecs: shortest }, "totalTimeoutSecs below_minimum"],
    "a total time one second too long": [{ totalTimeoutSecs: longest }, "totalTimeoutSecs above_maximum"],
    "a ring time one second too short": [ringing((ring.minimum ?? 0) - 1), "members[0].ringTimeoutSecs below_minimum"],
    "a ring time one second too long": [ringing((ring.maximum ?? 0) + 1), "members[0].ringTimeoutSecs above_maximum"],
  };
}

type Members = readonly { readonly destinationId: string }[];

/** The members of a new group, in ring order. */
const membersFor = ({ changes }: LiveOptions): Members =>
  (changes.groupDestinationIds ?? []).map((destinationId) => ({ destinationId }));

const uniqueName = () => `Contract check ${new Date().toISOString()} ${crypto.randomUUID().slice(0, 8)}`;

async function createsGroup(session: Session): Promise<void> {
  const { check, options } = session;
  const groups = (await client(session)).destinationGroups;
  const body = { name: uniqueName(), members: [...membersFor(options)] };
  const created = await groups.create(body);
  const count = memberOf(created.members, "length");
  check.equal([created.name, count], [body.name, body.members.length], "name and number of members");
  check.equal([created.strategy, created.totalTimeoutSecs], ["simultaneous", total.default], "the defaults");
  const ringTime = valueAt(created, ["members", 0, "ringTimeoutSecs"]) ?? null;
  check.observe("A-23", "an absent ring time", ringTime === null ? "absent" : String(ringTime), ringTime === null);
  const again = await apiErrorOf(groups.create(body));
  check.equal(again?.status, statusOf("resource_already_exists"), "status for a taken name");
  check.observe("A-16", "a group's name is taken", String(again?.code), again?.code === "resource_already_exists");
}

/** UUIDs are the same in either letter case. */
const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);

async function keepsGroup(session: Session): Promise<void> {
  const { check, options } = session;
  const given = {
    name: uniqueName(),
    members: membersFor(options).map((one) => ({ ...one, ringTimeoutSecs: ring.maximum ?? 0 })),
    strategy: "simultaneous",
    totalTimeoutSecs: total.maximum ?? 0,
  } as const;
  const created = await (await client(session)).destinationGroups.create(given);
  for (const [field, value] of Object.entries(given))
    if (field !== "members") check.equal(memberOf(created, field), value, field);
  for (const [index, one] of given.members.entries())
    for (const [field, value] of Object.entries(one))
      check.equal(lower(valueAt(created, ["members", index, field])), lower(value), `members[${index}].${field}`);
}

async function refusesGroups(session: Session): Promise<void> {
  const { check, options } = session;
  const members = [...membersFor(options)];
  const groups = (await client(session)).destinationGroups;
  for (const [what, [change, names]] of Object.entries(badGroups(members))) {
    const refusal = await apiErrorOf(groups.create({ name: uniqueName(), members, ...change }));
    check.equal(refusal?.code, "validation_failed", `code for ${what}`);
    const [first] = refusal?.errors ?? [];
    const named = first ? `${first.field} ${first.code}` : "no field";
    check.observe("A-20", `the field error for ${what}`, named, named === names);
  }
  const strangers = {
    unknown: [{ destinationId: crypto.randomUUID() }],
    repeated: [...members.slice(0, 1), ...members.slice(0, 1)],
  };
  for (const [what, wrong] of Object.entries(strangers)) {
    const refusal = await apiErrorOf(groups.create({ name: uniqueName(), members: wrong }));
    const observed = refusal === undefined ? "accepted" : String(refusal.code);
    check.observe("A-22", `a member whose destination is ${what}`, observed, observed === "validation_failed");
  }
}

/** The hours from a rotation to a time. The rotation is at `updatedAt`, or now by the clock of the response. */
function hoursUntil(expiresAt: unknown, updatedAt: unknown, date: string | null): number {
  const end = timeOf(expiresAt) ?? Number.NaN;
  const starts = [timeOf(updatedAt), Date.parse(date ?? "") || Date.now()].filter((time) => time !== undefined);
  const hours = starts.map((start) => (end - start) / hourMs);
  return hours.find(isOverlap) ?? hours[0] ?? Number.NaN;
}

const isOverlap = (hours: number): boolean =>
  Math.abs(hours - limits.previousSecretOverlapHours) * hourMs <= clockToleranceMs;

async function rotates(session: Session): Promise<void> {
  const { check, options } = session;
  const { destinationId } = options.changes.rotation ?? { destinationId: "" };
  const { destinations } = await client(session);
  const { data, response } = await destinations.rotateSecret(destinationId).withResponse();
  const { signingSecret, signingSecretHint, previousSecretExpiresAt, updatedAt, config } = data;
  // Before all checks, because no other response contains the secret.
  if (typeof signingSecret === "string") session.saveSecret(signingSecret);
  check.isTrue(typeof signingSecret === "string" && signingSecret !== "", "the rotation returns the new secret");
  const hint = signingSecret?.slice(-contractLimits.signingSecretHintLength);
  check.observe(
    "A-12",
    "the secret's hint",
    signingSecretHint === hint ? `the last ${contractLimits.signingSecretHintLength} characters` : "another form",
    signingSecretHint === hint,
  );
  const names = Object.keys(Object(config)).toSorted();
  check.observe("A-1", "fields of the destination's config", names.join(", ") || "none", true);
  const overlap = hoursUntil(previousSecretExpiresAt, updatedAt, response.headers.get("Date"));
  check.isTrue(
    isOverlap(overlap),
    `the previous secret stays valid for ${limits.previousSecretOverlapHours} hours, got ${overlap}`,
  );
}

async function placesCall(session: Session): Promise<void> {
  const { check, options } = session;
  if (!options.call) return;
  const { calls } = await client(session);
  const readTotal = async () =>
    hasOperation(options, "listCalls") ? totalOf(await calls.list({ limit: 1 })) : undefined;
  const before = await readTotal();
  const { data, response } = await calls.create(options.call).withResponse();
  const shown = new Set(["type", "callId", "position"]);
  const further = Object.keys(data).filter((field) => !shown.has(field));
  check.observe("A-8", "additional fields of a placed call", further.join(", ") || "none", true);
  check.equal([response.status, data.type], data.type === "queued" ? [202, "queued"] : [201, "initiated"], "response");
  if (data.type === "queued")
    check.observe("A-25", "a position in the queue", describeValue(data.position), Number(data.position) >= 1);
  const after = await readTotal();
  if (before === undefined || after === undefined) return;
  const isListed = after > before;
  check.observe(
    "A-39",
    "the call list right after a placement",
    isListed ? "includes it" : "does not include it",
    isListed,
  );
}

async function removesHours(session: Session): Promise<void> {
  const { members } = await client(session);
  const memberId = session.options.changes.hoursMemberId ?? "";
  const first = await members.deleteHours(memberId).withResponse();
  session.check.equal(first.response.status, 204, "status");
  const refusal = await apiErrorOf(members.deleteHours(memberId));
  const observed = refusal === undefined ? "succeeds" : String(refusal.status);
  session.check.observe("A-26", "hours that are not set", observed, refusal === undefined);
}

/** Cases that change the server; each is announced before it runs. */
export const changeCases: readonly LiveCase[] = [
  live("§4.1", "a rotation returns the new secret, and the previous one stays valid for a day", ["rotation"], rotates, {
    operation: "rotateDestinationSecret",
    announce: ({ changes }) =>
      `Rotating the signing secret of destination ${changes.rotation?.destinationId}: the current secret expires in ` +
      `${limits.previousSecretOverlapHours} hours, the new one is written to ${changes.rotation?.secretFile}.`,
  }),
  live("§4.2", "a group gets the documented defaults, and its name cannot be used again", ["group"], createsGroup, {
    operation: "createDestinationGroup",
    announce: ({ changes }) =>
      `Creating one destination group with ${changes.groupDestinationIds?.join(", ")}; its name starts with "Contract check".`,
  }),
  live("§4.2", "a group keeps the given strategy, times and order of members", ["group"], keepsGroup, {
    operation: "createDestinationGroup",
    announce: ({ changes }) =>
      `Creating a second group with ${changes.groupDestinationIds?.join(", ")}, with times of its own.`,
  }),
  live("§4.2", "groups beyond the documented limits are rejected", ["group"], refusesGroups, {
    operation: "createDestinationGroup",
    announce: () => "Trying to create invalid groups. A server that accepts them keeps them.",
  }),
  live("§4.3", "hours are removed, and removing them again changes nothing", ["hours"], removesHours, {
    operation: "deleteMemberHours",
    announce: ({ changes }) => `Removing the available hours of member ${changes.hoursMemberId} for good.`,
  }),
  live("§4.6", "a call is placed, and the list includes it", ["call"], placesCall, {
    operation: "createCall",
    announce: ({ call }) => `Placing one call from ${call?.fromNumber} to ${call?.toNumber} with flow ${call?.flowId}.`,
  }),
];
