import { describe, expect, it } from "vitest";
import {
  commandFile,
  contractFile,
  controlFile,
  manifestFile,
  pythonFile,
  pythonRetryFile,
  schemaFiles,
  vectorsFolder,
} from "../../scripts/release/baseline.ts";
import { bumpOf } from "../../scripts/release/change.ts";
import { commandText } from "../../scripts/release/compare/commands.ts";
import { movedSince } from "../../scripts/release/moved.ts";
import { pythonPackage } from "../../scripts/release/python-package.ts";
import { contract } from "./contract.fixture.ts";

const packages = ["spec", "sdk", "backend", "mock-server", "contract", "python"].map(
  (name) => `@call-transfer/${name}`,
);
const { "/health": _, ...paths } = contract.paths;
const [before, after] = [contract, { ...contract, paths }].map((document) => JSON.stringify(document));
const generated = (json = "") => `/** The document. */\nexport const controlDocument: Readonly<object> = ${json};\n`;
const command = (options: object) =>
  commandText({
    name: "call-transfer-mock",
    subcommands: { start: { ...options } },
    variables: {},
    exitStatus: {},
    help: [],
  });
const mock = "@call-transfer/mock-server";

describe("what a change weighs on", () => {
  it.each<[string, string, string | undefined, string | undefined, string[]]>([
    [
      "an operation removed from the contract",
      contractFile,
      before,
      after,
      ["@call-transfer/spec", "@call-transfer/sdk", pythonPackage],
    ],
    ["a module of Python that is gone", pythonFile(pythonPackage), '{"modules":{"a":[]}}', "{}", [pythonPackage]],
    [
      "an operation removed from the control plane",
      controlFile,
      generated(before),
      after,
      ["@call-transfer/backend", mock],
    ],
    [
      "an operation removed from the control plane, whose document a function makes",
      controlFile,
      `export const controlDocument = (): Readonly<object> => (${before});\n`,
      after,
      ["@call-transfer/backend", mock],
    ],
    ["a raised engine", manifestFile(mock), '{"engines":{"node":">=20"}}', '{"engines":{"node":">=22"}}', [mock]],
    ["vectors that are gone", vectorsFolder, '{"vectors/hints.json":"{}"}', "{}", ["@call-transfer/contract"]],
    ["a removed key of settings files", String(schemaFiles[0]), '{"properties":{"port":{}}}', "{}", [mock]],
    ["another retry budget of Python", pythonRetryFile, "RETRY_COST = 5\n", "RETRY_COST = 6\n", [pythonPackage]],
    ["a removed option", commandFile(mock), command({ port: { type: "string" } }), command({}), [mock]],
  ])("%s", (_, path, was = "", is = "", names) => {
    const read = (text: string) => (wanted: string) => (wanted === path ? text : "");
    const moved = movedSince(read(was), read(is), packages, []).filter(({ changes }) => changes.length > 0);
    expect(moved.map(({ name }) => name)).toEqual(names);
    for (const { changes } of moved) expect(bumpOf(changes)).toBe("major");
  });

  it("is nothing for a part that the last release did not record", () => {
    const moved = movedSince(
      () => "",
      (path) => (path === controlFile ? String(after) : ""),
      packages,
      [],
    );
    expect(moved.flatMap(({ changes }) => changes)).toEqual([]);
  });
});
