import { errorCodes } from "@call-transfer/spec";
import { beforeAll, describe, expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { prism } from "./prism.ts";
import { deviations, reasonFor } from "./prism-deviations.ts";
import { judged, prismProxy } from "./prism-proxy.ts";

const sane = (run: CaseResult) => !(run.failure ?? run.missing ?? run.deviation);

describe("the document served by Prism", () => {
  const runs: CaseResult[] = [];
  beforeAll(() => prism.run(cases, (run) => runs.push(run)));

  it("keeps the contract where it can, but for what is listed", () => {
    expect(runs.filter(({ failure }) => failure)).toEqual([]);
    expect(runs.filter(sane).length).toBeGreaterThan(0);
  });

  it("refuses every bad value, but for ids and parameters without a value", () => {
    const statuses: (number | null)[] = [errorCodes.validation_failed.status, errorCodes.unprocessable_entity.status];
    const taken = runs
      .filter(({ noun, name }) => noun === "invalid input" && name.includes(" rejects "))
      .filter(({ exchanges }) => !exchanges.every(({ status }) => statuses.includes(status)))
      .filter(({ name }) => !/ \(path\): id, | type, ""$/.test(name));
    expect(taken).toEqual([]);
  });
});

it("Prism has no objection to the mock server's successes and refusals", async () => {
  const few = cases.filter(({ noun }) => noun === "members" || noun === "destination-groups");
  const runs: CaseResult[] = [];
  await prismProxy.run(few, (run) => runs.push(run));
  expect(runs.filter((run) => !sane(run))).toEqual([]);
  expect(runs).toHaveLength(few.length);
});

it.each(Object.entries(deviations))("every entry of the list %s speaks of a case", (_list, entries) => {
  const idle = entries.filter(
    (entry) => !cases.some(({ noun, name }) => noun === entry.noun && entry.names.test(name)),
  );
  expect(idle).toEqual([]);
});

const named = (noun: string, isListed: boolean) => {
  const found = cases.find((one) => one.noun === noun && (reasonFor("broken", one) !== undefined) === isListed);
  if (found === undefined) throw new Error(`No case of ${noun}`);
  const run: CaseResult = { noun, name: found.name, target: "any", covers: [], exchanges: [], findings: [], tookMs: 0 };
  return { run, found };
};

it("an objection fails a case that passed, and is named", () => {
  const { run, found } = named("roles", false);
  expect(judged(run, found, ["Prism objects to response.body"]).failure).toBe("Prism objects to response.body");
});

it("an objection to an answer that is broken on purpose fails nothing", () => {
  const { run, found } = named("retries", true);
  expect(judged(run, found, ["Prism objects to response.body"])).toBe(run);
});

it("an answer that is broken on purpose must be objected to", () => {
  const { run, found } = named("retries", true);
  expect(judged(run, found, []).failure).toContain("objects to nothing");
});
