import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { readExplanations, readReport } from "./report.ts";
import { countLinks, judgedDocument } from "./schemathesis.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const base64 = (value: unknown) => ({ $base64: Buffer.from(JSON.stringify(value)).toString("base64") });

/** The events of a run in which one request failed a check. */
function eventsOf(status: number, body: unknown): string {
  const failure = {
    operation: `${operations.createCall.method} ${operations.createCall.path}`,
    message: "Valid data should have been accepted",
  };
  const recorder = {
    cases: { one: { transition: { id: "accounts -> calls" }, is_transition_applied: true } },
    checks: {
      one: [
        { name: "not_a_server_error", status: "success" },
        { name: "positive_data_acceptance", status: "failure", failure_info: { failure } },
      ],
    },
    interactions: {
      one: {
        request: { method: "POST", uri: "http://127.0.0.1:1/", headers: { A: ["it's"] }, body: base64({ a: 1 }) },
        response: { status_code: status, content: base64(body) },
      },
    },
  };
  const events = [{ ScenarioFinished: { recorder } }, { EngineFinished: { stop_reason: "completed" } }];
  return events.map((event) => JSON.stringify(event)).join("\n");
}

describe("the report of Schemathesis", () => {
  it("names a finding by operation, check, status and code, with the request", () => {
    const { findings, followedLinks, errors } = readReport(eventsOf(400, { code: "flow_not_published" }));
    expect(findings).toEqual([
      {
        operation: "createCall",
        check: "positive_data_acceptance",
        answer: "400 flow_not_published",
        message: "Valid data should have been accepted",
        request: `curl -X POST -H 'A: it'\\''s' -d '{"a":1}' 'http://127.0.0.1:1/'`,
      },
    ]);
    expect([...followedLinks]).toEqual(["accounts -> calls"]);
    expect(errors).toEqual([]);
  });

  it("has an error for a run that did not end, and for what Schemathesis could not test", () => {
    expect(readReport(JSON.stringify({ NonFatalError: { value: "no such link" } })).errors).toEqual([
      '{"NonFatalError":{"value":"no such link"}}',
      "The run did not end.",
    ]);
  });
});

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
