// What docs/containers.md and the Dockerfile say exists.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { settings, startOptions, variables } from "../packages/mock-server/src/cli/options.ts";
import { variableOf } from "../packages/mock-server/src/cli/settings.ts";
import { execForm, pairsOf, readStages } from "./packages/dockerfile.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const page = read("docs/containers.md");
const dockerfile = read("Dockerfile");
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);

const known: ReadonlySet<string> = new Set([...Object.keys(settings).map(variableOf), ...Object.values(variables)]);
const unknownVariables = (text: string) =>
  [...text.matchAll(/\bCALL_TRANSFER_\w+/g)].map(([name]) => name).filter((name) => !known.has(name));

describe("the page on containers", () => {
  it("names only variables that exist", () => {
    expect(page).toContain("CALL_TRANSFER_MOCK_CORS");
    expect(unknownVariables(page)).toEqual([]);
    expect(unknownVariables("CALL_TRANSFER_MOCK_PROT")).toEqual(["CALL_TRANSFER_MOCK_PROT"]);
  });

  it("gives only options of the server to the server", () => {
    const commands = page.match(/(?:call-transfer-mock|mock-server)(?: --[^`\n]*)/g)?.join(" ") ?? "";
    const options = [...`${commands} ${page.match(/`--[^`]+`/g)?.join(" ")}`.matchAll(/--([a-z][\w-]*)/g)];
    expect(options.length).toBeGreaterThan(5);
    expect(options.map(([, name = ""]) => name).filter((name) => !(name in startOptions))).toEqual([]);
  });

  it("shows YAML in which an app waits for a healthy server", () => {
    const [compose, workflow] = fences("yaml").map((text): unknown => parse(text));
    expect(compose).toMatchObject({
      services: { mock: { read_only: true }, app: { depends_on: { mock: { condition: "service_healthy" } } } },
    });
    expect(workflow).toMatchObject({ jobs: { test: { services: { mock: { ports: ["4010:4010"] } } } } });
  });
});

describe("the Dockerfile", () => {
  const stages = readStages(dockerfile);
  const last = (name: string) => stages.at(-1)?.instructions.filter((one) => one.name === name) ?? [];

  it("builds from source, and takes only what is published and what that needs", () => {
    expect(stages.map(({ name }) => name)).toEqual(["build", "production", undefined]);
    expect(last("COPY").map(({ text, options }) => [options.get("from"), text])).toEqual([
      ["production", "/app/ /app/"],
    ]);
    expect(last("RUN")).toEqual([]);
  });

  it("sets only variables that exist, and listens for other containers", () => {
    expect(pairsOf(last("ENV")[0]?.text ?? "")).toEqual({ NODE_ENV: "production", CALL_TRANSFER_MOCK_HOST: "0.0.0.0" });
    expect(unknownVariables(dockerfile)).toEqual([]);
  });

  it("checks its health and starts without a shell", () => {
    expect(execForm(last("HEALTHCHECK")[0]?.text.replace(/^CMD /, "") ?? "")).toHaveLength(3);
    expect(execForm(last("ENTRYPOINT")[0]?.text ?? "")).toEqual(["node", "/app/packages/mock-server/dist/cli.js"]);
  });
});

it("reads continued lines, comments and options of a Dockerfile", () => {
  const [one, two] = readStages(
    'FROM a:1 AS x\n# no\nRUN b \\\n    && c\nFROM d\nCOPY --from=x --chown=1:1 /e /f\nENV A=1 B="2 3"\n',
  );
  expect(one).toMatchObject({ base: "a:1", name: "x", instructions: [{ name: "RUN", text: "b && c" }] });
  const [copy, env] = two?.instructions ?? [];
  expect([copy?.text, [...(copy?.options ?? [])]]).toEqual([
    "/e /f",
    [
      ["from", "x"],
      ["chown", "1:1"],
    ],
  ]);
  expect(pairsOf(env?.text ?? "")).toEqual({ A: "1", B: "2 3" });
});
