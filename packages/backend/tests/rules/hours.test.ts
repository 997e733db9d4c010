import { describe, expect, it } from "vitest";
import { hoursSchema } from "../../src/model/hours.ts";
import { hoursAround, isWithinHours } from "../../src/rules/members.ts";

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

describe("the hours around a time", () => {
  const twice = {
    monday: [{ from: "14:00", to: "18:00" }, ...monday.monday],
    friday: [{ from: "08:00", to: "24:00" }],
  };
  it.each([
    [
      "are the present ones",
      twice,
      "2026-03-02T09:00:00Z",
      { window: { weekday: "monday", from: "09:00", to: "12:30" } },
    ],
    [
      "are later today",
      twice,
      "2026-03-02T13:00:00Z",
      { nextWindow: { weekday: "monday", from: "14:00", to: "18:00" } },
    ],
    [
      "are on a later day",
      twice,
      "2026-03-02T18:00:00Z",
      { nextWindow: { weekday: "friday", from: "08:00", to: "24:00" } },
    ],
    [
      "are the earliest of a day in the next week",
      twice,
      "2026-03-07T10:00:00Z",
      { nextWindow: { weekday: "monday", from: "09:00", to: "12:30" } },
    ],
    [
      "are in a week",
      monday,
      "2026-03-02T12:30:00Z",
      { nextWindow: { weekday: "monday", from: "09:00", to: "12:30" } },
    ],
    ["are none without hours", undefined, "2026-03-02T12:30:00Z", {}],
    ["are none if no day has any", {}, "2026-03-02T12:30:00Z", {}],
    [
      "follow the time zone",
      { ...monday, timeZone: "Asia/Tokyo" },
      "2026-03-02T00:00:00Z",
      { window: { weekday: "monday", from: "09:00", to: "12:30" } },
    ],
  ])("%s", (_, hours, time, around) => {
    expect(hoursAround(hours, at(time), "UTC")).toStrictEqual(around);
  });
});
