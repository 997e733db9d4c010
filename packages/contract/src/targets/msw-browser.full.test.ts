import { expect, it } from "vitest";
import { cases } from "../cases.ts";
import type { Run } from "../run.ts";
import { mswBrowser } from "./msw-browser.ts";

it("the contract is kept in Chromium under MSW's worker", { timeout: 180_000 }, async () => {
  const runs: Run[] = [];
  await mswBrowser.run(cases, (run) => runs.push(run));
  expect(runs.filter(({ failure, hindrances, deviation }) => failure ?? hindrances ?? deviation)).toEqual([]);
  expect(runs).toHaveLength(cases.length);
});
