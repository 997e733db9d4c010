import { describe, expect, it } from "vitest";
import type { Message, Reply } from "../../src/attack/deliver.ts";
import { evidenceOf } from "../../src/attack/evidence.ts";

const url = "http://127.0.0.1:3000/offers";

/** The evidence of a delivery with these headers, which got this answer. */
function evidence(body: string, headers: Message["headers"], secrets: readonly string[]) {
  const message: Message = {
    method: "POST",
    headers: { ...headers, "content-length": "2" },
    parts: [Buffer.from("{}")],
  };
  const reply: Reply = { status: 400, body, headers: "", ms: 1 };
  return evidenceOf({ message, signature: "", body: "{}", reply, url, check: "a check" }, secrets);
}

const json = { "content-type": "application/json" };

describe("evidenceOf", () => {
  it("shows no part of a secret where it cuts an answer", () => {
    const secret = "secret-of-today";
    for (let before = 280; before <= 300; before += 1) {
      const { answer } = evidence(`${"x".repeat(before)}${secret}`, json, [secret]);
      expect(answer).not.toContain("secret-");
    }
  });

  it("shows no rest of a secret that begins as another one does", () => {
    expect(evidence("key=base-today", json, ["base", "base-today"]).answer).toBe("status 400: key=[secret]");
  });

  it("sends no content type of curl's own where there was none", () => {
    expect(evidence("", {}, ["secret"]).sent.split(" \\\n  ")).toEqual([
      `curl -X POST ${url}`,
      "-H content-type:",
      "--data-binary '{}'",
    ]);
    expect(evidence("", { "Content-Type": "text/plain" }, ["secret"]).sent).not.toContain("-H content-type:");
  });
});
