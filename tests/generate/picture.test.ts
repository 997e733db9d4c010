import { expect, it, vi } from "vitest";
import { drawGroupRinging } from "../../scripts/pictures/picture.ts";
import { drawServerSession } from "../../scripts/pictures/server-session.ts";
import { drawTerminal } from "../../scripts/pictures/terminal.ts";

it("docs/images/group-ringing.svg shows the output of examples/group-ringing.ts (npm run record)", async () => {
  await expect(await drawGroupRinging()).toMatchFileSnapshot("../../docs/images/group-ringing.svg");
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
