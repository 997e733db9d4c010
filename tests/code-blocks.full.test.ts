// Runs the commands of the pages, and compares what they print with what the pages show.
import { describe, expect, it } from "vitest";
import { pages, proveBlocks, read } from "./pages/blocks.ts";
import { expectOutput, matches } from "./pages/output.ts";
import { runPage } from "./pages/session.ts";

const proved = pages.map((page) => ({ page, blocks: proveBlocks(page, read(page)).proved }));
const withCommands = proved.filter(({ blocks }) => blocks.some(({ proof }) => proof.kind === "commands"));

describe("the commands", () => {
  it.concurrent.for(withCommands)("of $page do what the page shows", async ({ page, blocks }, { expect, signal }) => {
    const { runs, failure } = await runPage(blocks, signal);
    expect(failure).toBeUndefined();
    for (const block of blocks) {
      const { proof } = block;
      if (proof.kind === "commands")
        for (const { place, printed, statement } of runs.get(block.line) ?? [])
          if (statement.output !== undefined) expectOutput(place, printed, statement.output);
      if (proof.kind === "printed") {
        const run = [...runs.values()].flat().find(({ command }) => command.startsWith(proof.by));
        expectOutput(`${page}:${block.line}`, run?.printed ?? `No command begins with ${proof.by}.`, block.text);
      }
      if (proof.kind !== "output" || proof.of.language !== "sh") continue;
      const printed = (runs.get(proof.of.line) ?? []).map((run) => run.printed).join("");
      expectOutput(`${page}:${block.line}`, printed, block.text);
    }
  });
});

it("a text with … matches any rest of a line, and nothing more", () => {
  expect(matches("one 1\ntwo 2\nthree\n", "one …\n…\nthree\n")).toBe(true);
  expect(matches("one 1\ntwo 2\n", "one …\n")).toBe(false);
  expect(matches("one\n", "two\n")).toBe(false);
});
