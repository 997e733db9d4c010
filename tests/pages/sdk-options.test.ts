import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { clientRules, requestRules } from "../../packages/sdk/src/options/checks.ts";
import { tablesIn } from "../../scripts/markdown.ts";

const page = readFileSync(new URL("../../docs/sdk.md", import.meta.url), "utf8");
const namesIn = (rows: readonly Readonly<Record<string, string>>[] = []) =>
  rows.flatMap(({ Option = "" }) => [...Option.matchAll(/`(\w+)`/g)].map(([, name]) => name)).sort();

/** Options that only this repository's tests and experiments pass. They are marked as internal. */
const internal = ["random"];

it("docs/sdk.md lists every option of a request, and every other one of a client", () => {
  const [ofRequests, ofClients] = tablesIn(page).filter(({ heading }) => heading === "Options");
  expect(namesIn(ofRequests?.rows)).toEqual(Object.keys(requestRules).sort());
  const others = Object.keys(clientRules).filter(
    (name) => !Object.hasOwn(requestRules, name) && !internal.includes(name),
  );
  expect(namesIn(ofClients?.rows)).toEqual(others.sort());
});
