import { accounts, hourMs, iso, members, start, uuid } from "../fixtures/names.ts";
import type { SeedMember } from "../fixtures/seed.ts";
import { casesFor, covering, shows } from "../suite/case.ts";
import { type Check, rejectedAsUnknown } from "../suite/check.ts";
import { connect } from "../suite/client.ts";
import type { Target, TargetWith } from "../suite/target.ts";

const test = casesFor("members", ["state", "clock"]);
const memberId = uuid(801);

/** Adds a member to the home account. */
const given = (target: Target, state: Pick<SeedMember, "availability" | "busy" | "hours">): Promise<void> =>
  target.seed({
    users: [{ id: uuid(802), name: "Given" }],
    members: [{ id: memberId, accountId: accounts.home, userId: uuid(802), role: "member", ...state }],
  });

/** Uses a key, because a token would expire when the clock is advanced. */
const asKey = { keyAccountId: accounts.home };

const untouched = { status: "available", source: null, reason: null, until: null, updatedAt: null };
/** With a fraction of a second, so that times compared in whole seconds differ from exact ones. */
const until = iso(hourMs + 500);
const updatedAt = iso(-hourMs);

/** The status of a response with its source, reason and times. Absent and null mean the same (§2.4). */
const stateOf = ({ status, source, reason, until: end, updatedAt: set }: Record<string, unknown>) => ({
  status,
  source: source ?? null,
  reason: reason ?? null,
  until: typeof end === "string" ? iso(Date.parse(end) - start) : null,
  updatedAt: typeof set === "string" ? iso(Date.parse(set) - start) : null,
});

/** Sets an availability, lets time pass, and checks what the API shows. */
const laterShows =
  (availability: NonNullable<SeedMember["availability"]>, to: number, expected: object) =>
  async (target: TargetWith<"clock">, check: Check): Promise<void> => {
    await given(target, { availability });
    const client = await connect(target, asKey);
    await target.clock.advance({ to });
    check.equal(stateOf({ ...(await client.members.getAvailability(memberId)) }), expected, "availability");
  };

export const memberCases = [
  test("a member without a set availability is available, without source, reason and times", async (target, check) => {
    await given(target, {});
    const availability = await (await connect(target)).members.getAvailability(memberId);
    check.equal([availability.memberId, availability.userId], [memberId, uuid(802)], "memberId and userId");
    check.equal(availability.busy, false, "busy");
    check.equal(stateOf({ ...availability }), untouched, "availability");
  }),
  ...(["away", "offline"] as const).flatMap((status) => {
    const set = { status, source: "member", until, updatedAt } as const;
    const lasting = { ...set, source: "admin", until: null } as const;
    const end = Date.parse(until);
    return [
      test(
        `${status} with an end lasts until a millisecond before the end`,
        laterShows(set, end - 1, { ...set, reason: null }),
      ),
      covering(
        shows(`availability: ${status} → available, when \`until\` passes`),
        test(
          `${status} ends exactly at its end, and its source, reason and times are removed`,
          laterShows(set, end, untouched),
        ),
      ),
      covering(
        shows(`availability: ${status} stays, without \`until\``),
        test(
          `${status} without an end stays`,
          laterShows(lasting, start + 365 * 24 * hourMs, { ...lasting, reason: null }),
        ),
      ),
    ];
  }),
  test("a status that the platform set after missed calls has its source and reason", async (target, check) => {
    const availability = { status: "away", source: "auto", reason: "missed_calls", until, updatedAt } as const;
    await given(target, { availability });
    const answer = await (await connect(target)).members.getAvailability(memberId);
    check.equal(stateOf({ ...answer }), availability, "availability");
  }),
  ...(["available", "away", "offline"] as const).map((status) =>
    test(`a member on a transferred call is busy and still ${status}`, async (target, check) => {
      await given(target, { busy: true, availability: { status } });
      const answer = await (await connect(target)).members.getAvailability(memberId);
      check.equal({ busy: answer.busy, status: answer.status }, { busy: true, status }, "busy and status");
    }),
  ),
  covering(
    shows("hours: set → none, when removed"),
    test("hours are removed, and removing them again changes nothing", async (target, check) => {
      await given(target, { hours: { monday: [{ from: "09:00", to: "17:00" }] } });
      const client = await connect(target);
      const first = await client.members.deleteHours(memberId).withResponse();
      const second = await client.members.deleteHours(memberId).withResponse();
      check.equal([first.response.status, second.response.status], [204, 204], "statuses");
      check.equal(first.data, undefined, "data");
    }),
  ),
  covering(
    shows("hours: none → none, when removed"),
    test("removing hours that were never set succeeds", async (target, check) => {
      await given(target, {});
      const { response } = await (await connect(target)).members.deleteHours(memberId).withResponse();
      check.equal(response.status, 204, "status");
    }),
  ),
  test("removing hours does not change the availability", async (target, check) => {
    await given(target, { availability: { status: "away", source: "member", until, updatedAt }, hours: {} });
    const client = await connect(target);
    const before = await client.members.getAvailability(memberId);
    await client.members.deleteHours(memberId);
    check.equal(await client.members.getAvailability(memberId), before, "availability");
  }),
  ...Object.entries({ unknown: uuid(999), "another organization's": members.foreign }).flatMap(([what, id]) => [
    test(`the availability of a member who is ${what} is not found`, async (target, check) => {
      const call = (await connect(target)).members.getAvailability(id);
      await rejectedAsUnknown(check, call);
    }),
    test(`the hours of a member who is ${what} are not found`, async (target, check) => {
      const call = (await connect(target)).members.deleteHours(id);
      await rejectedAsUnknown(check, call);
    }),
  ]),
];
