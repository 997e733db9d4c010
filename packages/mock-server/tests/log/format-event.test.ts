import { readFileSync } from "node:fs";
import type { BackendEvent } from "@call-transfer/backend";
import { errorCodes } from "@call-transfer/spec";
import { expect, it, vi } from "vitest";
import { eventFamilies } from "../../src/cli/events.ts";
import { formatEvent } from "../../src/log/format-event.ts";
import { hasColour } from "../../src/log/text.ts";
import { recordedEvents } from "./recorded-events.ts";

const names: Readonly<Record<string, string>> = {
  "d0000000-0000-4000-8000-000000000001": "Reception",
  "d0000000-0000-4000-8000-000000000003": "Front desk app",
  "c0000000-0000-4000-8000-000000000004": "Aron Agent",
};
const nameOf = (id: string) => names[id];
const today = Date.UTC(2026, 2, 2);
const lines = (events: readonly BackendEvent[], options: { colour?: boolean; sandbox?: string; today?: number } = {}) =>
  events.flatMap((event) => formatEvent(event, { colour: false, nameOf, today, ...options }) ?? []);

it("formats each recorded event as one line (npm run record)", async () => {
  await expect(`${lines(recordedEvents).join("\n")}\n`).toMatchFileSnapshot("lines.txt");
});

it("names each kind of event by a word that events --type takes, and a request by its method", () => {
  const labels = lines(recordedEvents).map((line) => line.replace(/^.*?Z (?:\[\S+\] )?/, "").split(" ")[0] ?? "");
  // The log itself says what it has left out.
  const kinds = new Set(labels.filter((label) => !/^(?:[A-Z]+|\?|log)$/.test(label)));
  expect([...kinds].filter((kind) => !eventFamilies.some((family) => family === kind))).toEqual([]);
  expect(kinds).toContain("delivery");
});

it("has each kind of event in the table of docs/mock-server.md", () => {
  const page = readFileSync(new URL("../../../../docs/mock-server.md", import.meta.url), "utf8");
  expect(
    eventFamilies.filter((family) => !page.includes(`| \`${family}.`) && !page.includes(`, \`${family}.`)),
  ).toEqual([]);
});

it("shows each error code whole", () => {
  const codes = Object.keys(errorCodes);
  const shown = codes.map((code) => lines([{ ...refused, code }])[0] ?? "");
  expect(shown.filter((text, index) => !text.includes(`400 2.3 ms ${codes[index]}  /`))).toEqual([]);
});

it.each([
  [["current"], ""],
  [["current", "previous"], "  two signatures"],
  [["other", "current", "previous"], "  3 signatures"],
  [["previous"], "  signed with the previous secret"],
  [["other"], "  signed with another secret"],
  [undefined, "  unsigned"],
])("says of a webhook with the signatures %j: %j", (secrets, text) => {
  const sent = { ...refused, type: "delivery.completed", destinationId: "a", accepted: true, status: 204 };
  expect(lines([{ ...sent, ...(secrets && { signature: { t: 1, v1: secrets.length, secrets } }) }])).toEqual([
    `12:00:05Z delivery 204 2.3 ms a  accepted${text}`,
  ]);
});

const refused: BackendEvent = {
  ...{
    eventId: "a-1",
    at: "2026-03-02T12:00:05.000Z",
    type: "request.completed",
    operationId: "createCall",
    durationMs: 2.3,
  },
  ...{ method: "POST", path: "/api/v1/calls", status: 400, code: "validation_failed" },
  decidedBy: { step: "body", detail: "toNumber must be an E.164 number, such as +493012345." },
};

it("says why a request was refused, and masks phone numbers in it and in the path", () => {
  const detail = "toNumber must be an E.164 number, such as +493012345.";
  expect(lines([{ ...refused, path: "/api/v1/contacts/+14155550167", decidedBy: { step: "body", detail } }])).toEqual([
    "12:00:05Z POST     400 2.3 ms validation_failed  /api/v1/contacts/+1415*****67  toNumber must be an E.164 number, such as +493****45.  createCall",
  ]);
});

it.each([
  [2500, "+2.5 s"],
  [259_200_000_000, "+8 y 80 d"],
])("shows a move of the clock by %i ms as %s", (by, text) => {
  const event = { eventId: "a-1", at: "2026-03-02T12:00:00.000Z", type: "clock.changed", mode: "running" };
  expect(lines([{ ...event, by, now: "2026-03-02T12:00:00.000Z" }])[0]).toContain(`clock    advanced   ${text}`);
});

it("names the stub that answered", () => {
  const { operationId: _, code: __, ...request } = refused;
  const stubbed = { ...request, status: 200, stub: "stub-1", decidedBy: { step: "stub" } };
  expect(lines([stubbed])).toEqual(["12:00:05Z POST     200 2.3 ms /api/v1/calls  stub-1"]);
});

it("shows times in UTC, as the inspector and the API do, wherever the machine is", () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(lines([refused])[0]).toMatch(/^12:00:05Z POST/);
});

it.each([
  [Date.UTC(2026, 2, 2, 23, 59), "12:00:05Z POST"],
  [Date.UTC(2026, 2, 3), "2026-03-02 12:00:05Z POST"],
])("shows the day of a time that is not today (%i)", (real, start) => {
  expect(lines([refused], { today: real })[0]?.startsWith(start)).toBe(true);
});

it("colours only on demand, and changes nothing else", async () => {
  const coloured = lines(recordedEvents, { colour: true });
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
  expect(coloured.map((line) => line.replace(escapes, ""))).toEqual(lines(recordedEvents));
  const [first = ""] = coloured;
  expect(first.match(escapes)?.length).toBeGreaterThan(4);
});

it("shows the sandbox unless it is the default one", () => {
  const [event] = recordedEvents;
  expect(lines(event ? [event] : [], { sandbox: "run-17" })[0]).toContain(" [run-17]  /api/v1/calls");
  expect(lines(event ? [event] : [], { sandbox: "default" })[0]).not.toContain("[");
});

it("replaces control characters in every column, since tail shows what any server sends", () => {
  const esc = String.fromCharCode(27);
  const base = { eventId: "a-1", at: "2026-03-02T12:00:00.000Z", id: "a" };
  const sent = [
    { ...base, type: "request.completed", method: "GET", path: `/a${esc}]0;title\n`, status: 404 },
    { ...base, type: `a.b${esc}c` },
    { ...base, type: "transfer.ring_ended", outcome: `a${esc}b` },
    { ...base, type: "member.availability_changed", status: `a${esc}b` },
    { ...base, type: "clock.changed", mode: `a${esc}b`, now: `a${esc}b` },
  ];
  expect(lines(sent).filter((line) => line.includes(esc) || line.includes("\n"))).toEqual([]);
});

const terminal = { isTTY: true, getColorDepth: () => 8 };
const monochrome = { isTTY: true, getColorDepth: () => 1 };

it.each([
  ["a terminal with colours", terminal, {}, true],
  ["a terminal without colours", monochrome, {}, false],
  ["a pipe", {}, {}, false],
  ["NO_COLOR", terminal, { NO_COLOR: "1" }, false],
  ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, true],
  ["FORCE_COLOR in a pipe", {}, { FORCE_COLOR: "1" }, true],
  ["FORCE_COLOR before NO_COLOR", {}, { FORCE_COLOR: "", NO_COLOR: "1" }, true],
  ["FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false],
])("decides on colour for %s", (_name, stream, env, expected) => {
  expect(hasColour(stream, env)).toBe(expected);
});
