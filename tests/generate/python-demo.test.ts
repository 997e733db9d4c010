// Writes the ids of the demo data for Python.
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";

type Value = string | readonly string[] | { readonly [name: string]: Value };

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The lines of a class whose attributes are those of an object, and what they hold. */
function classLines(name: string, docs: string, value: { readonly [name: string]: Value }): string[] {
  const lines = Object.entries(value).flatMap(([key, held]) => {
    if (typeof held === "string") return [`${snakeCase(key)}: Final = ${JSON.stringify(held)}`];
    if (isList(held)) return [`${snakeCase(key)}: Final = (`, ...held.map((one) => `    ${JSON.stringify(one)},`), ")"];
    return ["", ...classLines(snakeCase(key), `IDs of ${snakeCase(key).replaceAll("_", " ")}.`, held), ""];
  });
  return [`class ${name}:`, ...[`"""${docs}"""`, "", ...lines].map((line) => (line === "" ? "" : `    ${line}`))];
}

const isList = (value: Value): value is readonly string[] => Array.isArray(value);

const head = `# Recorded from packages/backend/src/data/demo-seed.ts by \`npm run record\`.
# ruff: noqa: N801, S105
"""The demo data of the mock server."""

from __future__ import annotations

from typing import Final


`;

it("the ids of the demo data are the same in Python: npm run record", async () => {
  const lines = classLines("demo", "IDs, numbers and credentials of the demo data.", demo);
  const body = lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd();
  await expect(`${head}${body}\n`).toMatchFileSnapshot("../../packages/python/src/call_transfer/testing/_demo.py");
});
