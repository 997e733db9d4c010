import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hoversOf, publicNamesOf, sourceOptions } from "./hover/answers.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Types in the form of openapi-typescript, and what a promise has. */
const ofOthers = /^(?:components|operations|paths|webhooks)\.|^\w+Promise\.(?:then|catch|finally)$/;

describe("what an editor shows", () => {
  it("of results and narrowed errors is what hover/answers.txt holds (npm run record)", async () => {
    await expect(hoversOf(pathOf("hover/program.ts"), sourceOptions)).toMatchFileSnapshot("hover/answers.txt");
  });

  it("documents every public name, and none is of any type", () => {
    const names = publicNamesOf(pathOf("hover/entries.ts"), sourceOptions).filter(({ name }) => !ofOthers.test(name));
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(["createCall", "Calls.create", "Call.id"]));
    expect(names.filter(({ documentation }) => documentation === "")).toEqual([]);
    const loose = names.filter(({ type }) => /\bany\b/.test(type)).map(({ name }) => name);
    // The type argument is OpenTelemetry's own.
    expect(loose).toEqual(["OpenTelemetryOptions.propagator"]);
  });
});
