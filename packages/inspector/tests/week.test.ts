import { expect, it } from "vitest";
import {
  barsOf,
  type Hours,
  localTime,
  minutesOf,
  timeOf,
  windowBetween,
  withoutWindow,
  withWindow,
} from "../src/screens/state/week.ts";

const day: Hours = { monday: [{ from: "06:00", to: "12:00" }] };

it("a window stands on the grid where its times are in the day", () => {
  expect(barsOf(day.monday)).toEqual([{ from: "06:00", to: "12:00", index: 0, start: 25, size: 25 }]);
});

it("a window that ends at midnight reaches the end of the day", () => {
  expect(barsOf([{ from: "18:00", to: "24:00" }])).toMatchObject([{ start: 75, size: 25 }]);
});

it("a window whose times are not valid has no bar, and the others keep their places", () => {
  const windows = [
    { from: "12:00", to: "09:00" },
    { from: "9", to: "10:00" },
    { from: "13:00", to: "14:00" },
  ];
  expect(barsOf(windows).map(({ index }) => index)).toEqual([2]);
});

it.each([
  ["00:00", 0],
  ["09:30", 570],
  ["24:00", 1440],
  ["24:15", undefined],
  ["9:00", undefined],
  ["", undefined],
])("the time %s is minute %s of the day", (text, minutes) => {
  expect(minutesOf(text)).toBe(minutes);
});

it("minutes become a time of day, kept within the day", () => {
  expect([-5, 0, 75, 1440, 2000].map(timeOf)).toEqual(["00:00", "00:00", "01:15", "24:00", "24:00"]);
});

it("a drawn window snaps to a quarter of an hour, in either direction", () => {
  expect(windowBetween(0.376, 0.709)).toEqual({ from: "09:00", to: "17:00" });
  expect(windowBetween(0.709, 0.376)).toEqual({ from: "09:00", to: "17:00" });
});

it("a drawn window is never empty, also at the end of the day", () => {
  expect(windowBetween(0.5, 0.5)).toEqual({ from: "12:00", to: "12:15" });
  expect(windowBetween(1.2, 1.3)).toEqual({ from: "23:45", to: "24:00" });
});

it("a window is replaced or added, and the other days stay", () => {
  const replaced = withWindow(day, "monday", 0, { from: "07:00", to: "12:00" });
  expect(withWindow(replaced, "friday", 0, { from: "09:00", to: "10:00" })).toEqual({
    monday: [{ from: "07:00", to: "12:00" }],
    friday: [{ from: "09:00", to: "10:00" }],
  });
});

it("a day that loses its last window is left out", () => {
  expect(withoutWindow({ ...day, timeZone: "UTC" }, "monday", 0)).toEqual({ timeZone: "UTC" });
});

it("the present time stands on the day of the member's time zone", () => {
  const at = Date.parse("2026-03-01T23:30:00Z");
  expect(localTime(at, "UTC")).toEqual({ day: "sunday", minutes: 1410 });
  expect(localTime(at, "Asia/Tokyo")).toEqual({ day: "monday", minutes: 510 });
  expect(localTime(at, "No/Where")).toBeUndefined();
});
