import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const shown = [...read("docs/resilience.md").matchAll(/<!-- (\S+) -->\n+```\w+\n(.*?)```/gs)];

it.each(["examples/lost-answer.mjs", "tests/resilience/streaming-fetch.ts"])(
  "docs/resilience.md contains %s unchanged",
  (path) => {
    expect(shown.find(([, name]) => name === path)?.[2]).toBe(read(path));
  },
);

it("docs/resilience.md contains the output of lost-answer.mjs, which places one call", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  // The computed name avoids a type error, since the program has no types.
  await import(new URL("../../examples/lost-answer.mjs", import.meta.url).href);
  const [, printed] = /```text\n(.*?)```/s.exec(read("docs/resilience.md")) ?? [];
  expect(log.mock.calls.flat().join("\n")).toBe(printed?.trim());
  expect(log).toHaveBeenLastCalledWith("calls placed: 1");
});
