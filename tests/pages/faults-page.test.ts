import { readFileSync } from "node:fs";
import { createBackend, type Fault } from "@call-transfer/backend";
import { parseFault } from "@call-transfer/backend/unstable";
import { expect, it } from "vitest";
import * as z from "zod";
import { controlDocument } from "../../packages/backend/src/generated/document.gen.ts";
import { zFaultAction } from "../../packages/backend/src/generated/schemas.gen.ts";

const page = readFileSync(new URL("../../docs/mock-server-faults.md", import.meta.url), "utf8");
const overview = readFileSync(new URL("../../docs/time-faults-sandboxes.md", import.meta.url), "utf8");
const section = (title: string, text = page) => text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rows = (text: string) => [...text.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map((row) => row.slice(1));
/** What a fault of requests can do, of what takes no value. */
const words = zFaultAction().options.flatMap((option) => (option instanceof z.ZodLiteral ? [...option.values] : []));

it.each(rows(section("A fault in a line")))("the page of faults shows a text that is a fault: %s", (text) => {
  expect(() => parseFault(text)).not.toThrow();
});

it.each(rows(section("Faults", overview)))(
  "the page on time, faults and sandboxes shows a text that is a fault: %s",
  (text) => {
    expect(() => parseFault(text)).not.toThrow();
  },
);

it("the page of faults shows JSON that is a list of faults", () => {
  const [, json = ""] = /```json\n(.*?)```/s.exec(section("A fault as JSON")) ?? [];
  const faults: Fault[] = JSON.parse(json).filter(({ match }: Fault) => match?.sandbox === undefined);
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
