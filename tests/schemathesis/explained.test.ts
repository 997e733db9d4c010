import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { readExplanations } from "./report.ts";
import { countLinks, judgedDocument } from "./schemathesis.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
describe("the explanations", () => {
  it("are no more than there were, and each cites a section or an assumption that exists", () => {
    const list = readExplanations();
    expect(list.length).toBeLessThanOrEqual(7);
    const pages = read("../../docs/specification.md") + read("../../docs/assumptions.md");
    for (const { because } of list) {
      const cited = [...because.matchAll(/§([\d.]*\d)|\bA-(\d+)/g)];
      expect(cited.length, because).toBeGreaterThan(0);
      for (const [, section, assumption] of cited)
        expect(pages).toContain(`<a id="${section ? `s${section.replaceAll(".", "-")}` : `a-${assumption}`}"></a>`);
    }
  });
});

describe("what Schemathesis gets", () => {
  it("is the published document without default responses, with its links and the demo's records", () => {
    const document = judgedDocument();
    expect(JSON.stringify(document)).not.toContain('"default":{"$ref"');
    expect(countLinks(document)).toBe(7);
    expect(JSON.stringify(document)).toContain(`"example":"${demo.members.agent}"`);
    expect(JSON.stringify(document)).toContain(`"sample":{"value":{"flowId":"${demo.flows.published}"`);
  });
});
