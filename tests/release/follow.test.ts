import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReleaseRecord } from "../../scripts/release/baseline.ts";
import type { Bump } from "../../scripts/release/change.ts";
import type { Changeset } from "../../scripts/release/changesets.ts";
import { followersOf, takenIn } from "../../scripts/release/follow.ts";

const [spec, sdk, backend, mock] = ["spec", "sdk", "backend", "mock-server"].map((name) => `@call-transfer/${name}`);
const packages = [spec, sdk, backend, mock].map(String);
const versions = { [`${spec}`]: "1.0.0", [`${sdk}`]: "1.0.0", [`${backend}`]: "0.2.0", [`${mock}`]: "1.0.0" };
const record: ReleaseRecord = { versions, objects: {} };
const pending = (bumps: Record<string, Bump>): Changeset[] => [
  { id: "one", bumps: new Map(Object.entries(bumps)), note: "It has a note of more than twenty letters." },
];
const moves = (contract: Bump, bumps: Record<string, Bump>) =>
  Object.fromEntries(followersOf(packages, contract, pending(bumps), record).map((each) => [each.name, each.bump]));

describe("packages that follow others", () => {
  it("move by a major with the contract, and by a minor at 0.x", () => {
    expect(moves("major", { [`${spec}`]: "major" })).toEqual({
      [`${sdk}`]: "major",
      [`${backend}`]: "minor",
      [`${mock}`]: "major",
    });
  });

  it("move by a minor with the contract, unless their changesets go as far", () => {
    expect(moves("minor", { [`${spec}`]: "minor", [`${mock}`]: "minor" })).toEqual({
      [`${sdk}`]: "minor",
      [`${backend}`]: "minor",
    });
  });

  it("stay when the SDK alone moves", () => {
    expect(moves("none", { [`${sdk}`]: "minor" })).toEqual({});
  });

  it("get a patch when something they take in is fixed, and only then", () => {
    expect(moves("none", { [`${backend}`]: "patch" })).toEqual({ [`${mock}`]: "patch" });
    expect(moves("none", { [`${mock}`]: "patch" })).toEqual({});
  });
});

it.each(Object.entries(takenIn))("%s takes in what its build says", (name, others) => {
  const build = readFileSync(new URL(`../../packages/${name.split("/")[1]}/tsup.config.ts`, import.meta.url), "utf8");
  expect(build).toContain(others.length > 1 ? String.raw`noExternal: [/^@call-transfer\//` : "openapi");
});
