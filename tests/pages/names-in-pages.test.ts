// What pages list is what the code has: options, faults, variables of the mock server's image, functions and layers.
import { readFileSync } from "node:fs";
import { createBackend, type Fault } from "@call-transfer/backend";
import { parseFault } from "@call-transfer/backend/unstable";
import { expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { controlDocument } from "../../packages/backend/src/generated/document.gen.ts";
import { zFaultAction } from "../../packages/backend/src/generated/schemas.gen.ts";
import { flagOf, startOptions, variables } from "../../packages/mock-server/src/cli/options.ts";
import { settingVariables } from "../../packages/mock-server/src/cli/settings.ts";
import { clientRules, requestRules } from "../../packages/sdk/src/options/checks.ts";
import { tablesIn } from "../../scripts/markdown.ts";
import { blocksIn, pages } from "./blocks.ts";
import { ourOptions } from "./commands.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/mock-server-faults.md");
const overview = read("docs/time-faults-sandboxes.md");
const section = (title: string, text = page) => text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rows = (text: string) => [...text.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map((row) => row.slice(1));
/** What a fault of requests can do, of what takes no value. */
const words = zFaultAction().options.flatMap((option) => (option instanceof z.ZodLiteral ? [...option.values] : []));

it.each([...rows(section("A fault in a line")), ...rows(section("Faults", overview))])(
  "the pages of faults show a text that is a fault: %s",
  (text) => expect(() => parseFault(text)).not.toThrow(),
);

it("the page of faults shows JSON that is a list of faults", () => {
  const [, json = ""] = /```json\n(.*?)```/s.exec(section("A fault as JSON")) ?? [];
  const faults: Fault[] = JSON.parse(json);
  expect(createBackend({ faults }).faults.list()).toHaveLength(4);
});

it("the page of faults lists each scenario as the control plane's document describes it", () => {
  const { components } = controlDocument() as {
    components: { schemas: { ScenarioName: { oneOf: { const: string; description: string }[] } } };
  };
  const linked = (text: string) =>
    text.replace(
      / \((§([\d.]+))\)\.$/,
      (_, name, number) => `. | [${name}](specification.md#s${number.replace(".", "-")})`,
    );
  expect(rows(section("Scenarios"))).toEqual(
    components.schemas.ScenarioName.oneOf.map((one) => [one.const, linked(one.description)]),
  );
});

it.each(words)("the fault %s has a text and a row of the page", (word) => {
  expect(parseFault(`createCall ${word}`).do).toBe(word);
  expect(page).toContain(`\n| \`"${word}"\` |`);
});

const namesIn = (rows: readonly Readonly<Record<string, string>>[] = []) =>
  rows.flatMap(({ Option = "" }) => [...Option.matchAll(/`(\w+)`/g)].map(([, name]) => name)).sort();

/** Options that only this repository's tests and experiments pass. They are marked as internal. */
const internal = ["random"];

it("docs/sdk.md lists every option of a request, and every other one of a client", () => {
  const [ofRequests, ofClients] = tablesIn(read("docs/sdk.md")).filter(({ heading }) => heading === "Options");
  expect(namesIn(ofRequests?.rows)).toEqual(Object.keys(requestRules).sort());
  const others = Object.keys(clientRules).filter(
    (name) => !Object.hasOwn(requestRules, name) && !internal.includes(name),
  );
  expect(namesIn(ofClients?.rows)).toEqual(others.sort());
});

const containers = read("docs/containers.md");
const dockerfile = read("Dockerfile");

it("the page on containers and the Dockerfile name only variables that exist", () => {
  const known = new Set([...settingVariables.keys(), ...Object.values(variables)]);
  const named = `${containers}${dockerfile}`.match(/\bCALL_TRANSFER_\w+/g) ?? [];
  expect(named).toContain("CALL_TRANSFER_MOCK_CORS_ORIGIN");
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it("the page on containers gives only options of the server to the server, and shows YAML that waits for it", () => {
  const flags = Object.keys(startOptions).map(flagOf);
  const shown = containers.match(/(?:mock-server(?: --[^`\n]*)|`--[^`]+`)/g)?.join(" ") ?? "";
  const options = [...shown.matchAll(/--([a-z][\w-]*)/g)].map(([flag]) => flag);
  expect(options.length).toBeGreaterThan(5);
  expect(options.filter((flag) => !flags.includes(flag))).toEqual([]);
  const yaml = blocksIn("docs/containers.md", containers).filter(({ language }) => language === "yaml");
  expect(yaml.map(({ text }): unknown => parse(text))).toMatchObject([
    { services: { app: { depends_on: { mock: { condition: "service_healthy" } } } } },
    { jobs: { test: { services: { mock: { ports: ["4010:4010"] } } } } },
  ]);
});

/** Options of other programs: of Node, npm, Deno, gunicorn, pytest, Biome, Schemathesis, and of this workspace's scripts. */
const ofOthers =
  "--allow-env --call-transfer-mock-command --env-file --include-method --only --preload --python --record --save-dev --target --write";

it("sentences name only options that a command has", () => {
  const unknown = pages.flatMap((path) => {
    const sentences = read(path).replace(/<!--[\s\S]*?-->|^ *```[\s\S]*?^ *```$/gm, "");
    const named = [...sentences.matchAll(/`[^`]+`/g)].flatMap(
      ([code]) => code.match(/(?<=[`\s[])--[a-z][\w-]*/g) ?? [],
    );
    const wrong = named.filter((option) => !ourOptions.has(option) && !ofOthers.split(" ").includes(option));
    return wrong.map((option) => `${path}: ${option}`);
  });
  expect(unknown).toEqual([]);
});

const architecture = tablesIn(read("docs/architecture.md")).flatMap(({ rows }) => rows);

it("the ways through the code in docs/architecture.md name functions of their files", () => {
  const rows = architecture.filter((row) => "Function" in row);
  const named = rows.flatMap(({ Function: names = "", File: file = "" }) => {
    const [, path = ""] = /^\[`.+`\]\(\.\.\/(.+)\)$/.exec(file) ?? [];
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => ({ path, name }));
  });
  expect(named.length).toBeGreaterThan(rows.length);
  expect(named.filter(({ path, name }) => !new RegExp(`\\b${name}\\b`).test(read(path)))).toEqual([]);
});

it("docs/architecture.md lists the layers that are checked", async () => {
  // The computed name avoids a type error, since the configuration has no types.
  const { layers } = await import(new URL("../../.dependency-cruiser.mjs", import.meta.url).href);
  const rows = architecture.filter((row) => "Package" in row);
  const shown = rows.map(({ Package = "", "Layers, the lowest first": list = "" }) => [
    Package.replaceAll("`", ""),
    list.split(", "),
  ]);
  expect(shown).toEqual(Object.entries(layers));
});
