import { readdirSync, readFileSync } from "node:fs";
import { errorCodes } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { assumptions } from "../../packages/contract/src/remote/assumptions.ts";
import { policyRows } from "../../scripts/generate/policies.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

const rows = [
  ...read("docs/assumptions.md").matchAll(/^\| (?:<a id="[^"]+"><\/a>)?(A-\d+) \| ([^|]+) \|.*\| ([^|]+) \|$/gm),
].map(([text, id, about, where]) => ({ text, id: id ?? "", about: about ?? "", where: where ?? "" }));
const idsOf = (place: string) => rows.filter(({ where }) => where.startsWith(place)).map(({ id }) => id);

const contract = readdirSync(new URL("openapi/", root), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".yaml") && path !== "control/policies.yaml")
  .map((path) => read(`openapi/${path}`))
  .join("\n");
const marks = new Set(contract.match(/\bA-\d+\b/g));
const numerically = (ids: Iterable<string>) => [...ids].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)));

describe("docs/assumptions.md", () => {
  it("numbers its rows from A-1 without gaps", () => {
    expect(numerically(rows.map(({ id }) => id))).toEqual(rows.map((_, index) => `A-${index + 1}`));
  });

  it("lists exactly the ids in openapi/ as contract rows", () => {
    expect(numerically(idsOf("Contract"))).toEqual(numerically(marks));
  });

  it("has a row for every id in the sources of the packages", () => {
    const cited = readdirSync(new URL("packages/", root)).flatMap((name) =>
      readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .flatMap((path) => read(`packages/${name}/src/${path}`).match(/\bA-\d+\b/g) ?? []),
    );
    const inForce = [...idsOf("Contract"), ...idsOf("Behaviour")];
    expect(cited.filter((id) => !inForce.includes(id))).toEqual([]);
  });

  it("has a row for each policy", () => {
    const settled = Object.values(policyRows).map(({ settles }) => settles);
    expect(settled.filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
  });

  it("has the rows and texts that call-transfer-contract reports", () => {
    const reported = Object.entries(assumptions).map(([id, [about]]) => ({ id, about }));
    expect(reported).toEqual(rows.map(({ id, about }) => ({ id, about })));
  });

  it.each([
    ["faultOnly", "A-29"],
    ["noEffect", "A-28"],
  ] as const)("names the error codes marked %s in row %s", (mark, row) => {
    const named = rows.find(({ id }) => id === row)?.text.match(/`[a-z_]+`/g) ?? [];
    const marked = Object.entries(errorCodes).filter(([, code]) => code[mark]);
    expect(named.map((code) => code.slice(1, -1)).sort()).toEqual(marked.map(([code]) => code).sort());
  });
});
