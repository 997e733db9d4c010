import { errorCodes } from "@call-transfer/spec";
import { beforeAll, describe, expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { prism } from "./prism.ts";
import { deviations, reasonFor } from "./prism-deviations.ts";
import { judged, prismProxy } from "./prism-proxy.ts";

const sane = (run: CaseResult) => !(run.failure ?? run.missing ?? run.deviation);

describe("the OpenAPI document served by Prism", () => {
  const runs: CaseResult[] = [];
  beforeAll(() => prism.run(cases, (run) => runs.push(run)));

  it("keeps the contract, except for the listed deviations", () => {
    expect(runs.filter(({ failure }) => failure)).toEqual([]);
    expect(runs.filter(sane).length).toBeGreaterThan(0);
  });

  it("rejects every invalid value, except for ids and parameters without a value", () => {
    const statuses: (number | null)[] = [errorCodes.validation_failed.status, errorCodes.unprocessable_entity.status];
    const taken = runs
      .filter(({ resource, name }) => resource === "invalid input" && name.includes(" rejects "))
      .filter(({ exchanges }) => !exchanges.every(({ status }) => statuses.includes(status)))
      .filter(({ name }) => !/ \(path\): id, | type, ""$/.test(name));
    expect(taken).toEqual([]);
  });
});

it("Prism reports no violation for the mock server's responses", async () => {
  const few = cases.filter(({ resource }) => resource === "members" || resource === "destination-groups");
  const runs: CaseResult[] = [];
  await prismProxy.run(few, (run) => runs.push(run));
  expect(runs.filter((run) => !sane(run))).toEqual([]);
  expect(runs).toHaveLength(few.length);
});

it.each(Object.entries(deviations))("every entry of the list %s matches a case", (_list, entries) => {
  const idle = entries.filter(
    (entry) => !cases.some(({ resource, name }) => resource === entry.resource && entry.names.test(name)),
  );
  expect(idle).toEqual([]);
});

const named = (resource: string, isListed: boolean) => {
  const found = cases.find((one) => one.resource === resource && (reasonFor("broken", one) !== undefined) === isListed);
  if (found === undefined) throw new Error(`No case of ${resource}`);
  const run: CaseResult = {
    resource,
    name: found.name,
    target: "any",
    covers: [],
    exchanges: [],
    findings: [],
    durationMs: 0,
  };
  return { run, found };
};

it("a violation fails a passed case", () => {
  const { run, found } = named("roles", false);
  expect(judged(run, found, ["Prism objects to response.body"]).failure).toBe("Prism objects to response.body");
});

it("an intended violation does not fail a case", () => {
  const { run, found } = named("retries", true);
  expect(judged(run, found, ["Prism objects to response.body"])).toBe(run);
});

it("an intended violation must be reported", () => {
  const { run, found } = named("retries", true);
  expect(judged(run, found, []).failure).toContain("reports no violation");
});
