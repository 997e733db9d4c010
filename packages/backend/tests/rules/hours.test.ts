import { describe, expect, it } from "vitest";
import { hoursSchema } from "../../src/model/hours.ts";
import { isWithinHours } from "../../src/rules/members.ts";

const at = (time: string) => Date.parse(time);
const monday = { monday: [{ from: "09:00", to: "12:30" }] };

describe("available hours", () => {
  it("follow a change to summer time", () => {
    const hours = { sunday: [{ from: "08:00", to: "09:00" }], timeZone: "Europe/Berlin" };
    expect(isWithinHours(hours, at("2026-03-22T07:30:00Z"), "UTC")).toBe(true);
    expect(isWithinHours(hours, at("2026-03-29T06:30:00Z"), "UTC")).toBe(true);
  });

  it.each([
    ["an end before the begin", { monday: [{ from: "10:00", to: "09:00" }] }],
    ["an hour that there is not", { monday: [{ from: "10:00", to: "24:30" }] }],
    ["a day that there is not", { someday: [] }],
    ["a place that there is not", { timeZone: "Mars/Base" }],
  ])("with %s are refused", (_, hours) => {
    expect(hoursSchema.safeParse(hours).success).toBe(false);
  });
});

describe("a time is within the hours", () => {
  const twice = {
    monday: [{ from: "14:00", to: "18:00" }, ...monday.monday],
    friday: [{ from: "08:00", to: "24:00" }],
  };
  it.each([
    ["from their first minute", twice, "2026-03-02T09:00:00Z", true],
    ["but not at their end", twice, "2026-03-02T12:30:00Z", false],
    ["but not between two intervals", twice, "2026-03-02T13:00:00Z", false],
    ["in each interval of a day", twice, "2026-03-02T17:59:00Z", true],
    ["but not on a day without any", twice, "2026-03-07T10:00:00Z", false],
    ["to the end of a day", twice, "2026-03-06T23:59:00Z", true],
    ["always without hours", undefined, "2026-03-02T12:30:00Z", true],
    ["never if no day has any", {}, "2026-03-02T12:30:00Z", false],
    ["in their own time zone", { ...monday, timeZone: "Asia/Tokyo" }, "2026-03-02T00:00:00Z", true],
  ])("%s", (_, hours, time, isWithin) => {
    expect(isWithinHours(hours, at(time), "UTC")).toBe(isWithin);
  });
});
