import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formatDuration } from "../../../src/model/values/format-duration.ts";

interface Case {
  readonly name: string;
  readonly seconds: number | "Infinity";
  readonly shown: string;
}

const vectors = new URL("../../../../contract/vectors/durations.json", import.meta.url);
const { cases }: { cases: readonly Case[] } = JSON.parse(readFileSync(vectors, "utf8"));

it.each(cases)("shows $name as the clients do", ({ seconds, shown }) => {
  expect(formatDuration(Number(seconds) * 1000)).toBe(shown);
});
