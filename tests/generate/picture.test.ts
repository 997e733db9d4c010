import { expect, it, vi } from "vitest";
import { retriesOf, ringsOf } from "../../scripts/pictures/example-timelines.ts";
import { drawGroupRinging, drawRings } from "../../scripts/pictures/picture.ts";
import { drawServerSession } from "../../scripts/pictures/server-session.ts";
import { drawTerminal } from "../../scripts/pictures/terminal.ts";

it("docs/images/group-ringing.svg shows the output of examples/group-ringing.ts (npm run record)", async () => {
  await expect(await drawGroupRinging()).toMatchFileSnapshot("../../docs/images/group-ringing.svg");
});

it("docs/images/rings.svg shows the rings of examples/group-ringing.ts (npm run record)", async () => {
  await expect(await drawRings()).toMatchFileSnapshot("../../docs/images/rings.svg");
});

it("the time line of rings says how each ring ended and who talks", () => {
  const printed = [
    "00:00  ringing    Ann",
    "00:00  ringing    Bob",
    "00:05  answered   Ann",
    "00:05  taken      Bob stops ringing.",
  ];
  const { tracks, secs } = ringsOf([...printed, "00:05  connected  The caller talks to Ann."]);
  expect(secs).toBe(8);
  expect(tracks).toEqual([
    {
      name: "Ann",
      parts: [
        { from: 0, to: 5, kind: "answered", text: "answers" },
        { from: 5, to: 8, kind: "talk", text: "talks" },
      ],
    },
    { name: "Bob", parts: [{ from: 0, to: 5, kind: "taken", text: "stops ringing" }] },
  ]);
});

it("the time line of retries has each answer and one ring", () => {
  const { tracks } = retriesOf(["{ type: 'initiated' }", "POST /api/v1/calls 429", "POST /api/v1/calls 201"]);
  expect(tracks.map(({ parts }) => parts.map(({ text }) => text))).toEqual([["429", "waits", "201"], ["rings"]]);
});

it("the time line of rings refuses a line without a time", () => {
  expect(() => ringsOf(["ready"])).toThrow('examples/group-ringing.ts printed "ready", which has no time.');
});

it("docs/images/server-session.svg shows what the mock server prints (npm run record)", async () => {
  vi.stubEnv("TZ", "UTC");
  await expect(await drawServerSession()).toMatchFileSnapshot("../../docs/images/server-session.svg");
});

it("a picture contains no script, keeps its spaces and escapes its text", () => {
  const picture = drawTerminal(
    "A < B",
    "1 & 2",
    [
      { at: 0, text: "  a  <b> & c" },
      { at: 1, text: "$ " },
    ],
    2,
  );
  expect(picture).toContain(">\u00a0\u00a0a\u00a0\u00a0&lt;b> &amp; c</text>");
  expect(picture).toContain('<title id="title">A &lt; B</title>');
  expect(picture).toContain("@media(prefers-reduced-motion:no-preference)");
  expect(picture).not.toContain("<script");
});
