import { errorCodes } from "@call-transfer/spec";
import { beforeAll, describe, expect, it } from "vitest";
import { cases } from "../../src/cases/index.ts";
import type { CaseResult } from "../../src/suite/run.ts";
import { deviations, prism } from "../../targets/prism.ts";

describe("the OpenAPI document served by Prism", () => {
  const runs: CaseResult[] = [];
  beforeAll(() => prism.run(cases, (run) => runs.push(run)));

  it("keeps the contract, except for the listed deviations", () => {
    expect(runs.filter(({ failure }) => failure)).toEqual([]);
    expect(runs.filter(({ missing, deviation }) => !(missing ?? deviation)).length).toBeGreaterThan(0);
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

it("every listed deviation of Prism matches a case", () => {
  const idle = deviations.filter(
    (entry) => !cases.some(({ resource, name }) => resource === entry.resource && entry.names.test(name)),
  );
  expect(idle).toEqual([]);
});
