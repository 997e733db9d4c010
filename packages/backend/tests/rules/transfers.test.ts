import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { defaultPolicies } from "../../src/model/policies.ts";
import type { MemberRecord } from "../../src/model/records.ts";
import { availabilityAt, countMissed } from "../../src/rules/members.ts";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const policies = defaultPolicies();

describe("missed offers", () => {
  /** The numbers of the missed offers after which the member is away, if the member is available again before each. */
  function awayAfter(missedCallLimit: number, offers: number): number[] {
    const minuteMs = 60_000;
    let member: MemberRecord | undefined = createBackend().state.members.get(demo.members.owner);
    return range(1, offers).filter((offer) => {
      const now = offer * 60 * minuteMs;
      member = member && countMissed(member, { ...policies, missedCallLimit }, now);
      if (member === undefined) throw new Error("The offer did not count.");
      return availabilityAt(member, now).status === "away";
    });
  }

  it.each([
    [1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    [2, [2, 4, 6, 8, 10, 12]],
    [3, [3, 6, 9, 12]],
    [5, [5, 10]],
    [0, []],
  ])("with the limit %i set a member away, and are counted from none again afterwards", (limit, expected) => {
    expect(awayAfter(limit, 12)).toEqual(expected);
  });
});
