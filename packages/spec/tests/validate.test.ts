import { describe, expect, it, vi } from "vitest";
import { operations } from "../src/operations.gen.ts";
import { validateResponses } from "../src/validate.ts";

const availability = { memberId: "m", userId: "u", status: "available", busy: false };

describe("validateResponses", () => {
  it.each(Object.values(operations).filter(({ successes }) => successes[0]?.example))(
    "accepts the documented example of $id",
    ({ id, successes }) => {
      for (const { example } of successes) expect(() => validateResponses()(id, example)).not.toThrow();
    },
  );

  it("throws with the failing field but not its value", () => {
    const check = () => validateResponses()("getMemberAvailability", { ...availability, busy: "secret value" });
    expect(check).toThrow("getMemberAvailability does not match the API description: busy: invalid_type");
  });

  it('warns instead with onInvalid: "warn"', () => {
    const warn = vi.fn();
    validateResponses({ onInvalid: "warn", warn })("listRoles", {});
    expect(warn).toHaveBeenCalledExactlyOnceWith("listRoles does not match the API description: roles: invalid_type");
  });

  it("accepts new values of open enums, new fields and unknown operations", () => {
    const check = validateResponses();
    expect(() => check("getMemberAvailability", { ...availability, status: "lunch", extra: 1 })).not.toThrow();
    expect(() => check("newerOperation", null)).not.toThrow();
    expect(() => check("deleteMemberHours", undefined)).not.toThrow();
  });
});
