import { expect, it } from "vitest";
import { requestLine, responseLine } from "../src/suite/trace.ts";

const request = new Request("https://api.example.com/api/v1/roles?limit=1", {
  headers: { Authorization: "Bearer svc_live_key-of-mine", "X-Account-Id": "a1" },
});

it("prints the account of a request, and never its credential", () => {
  expect(requestLine(request, "")).toBe("GET /api/v1/roles?limit=1 (with a credential, account a1)");
});

it("redacts a signing secret and a repeated credential", () => {
  const body = '{"signingSecret":"s\\"3cret","detail":"svc_live_key-of-mine"}';
  expect(responseLine(request, new Response(null, { status: 200 }), body)).toBe(
    '→ 200 {"signingSecret":"[redacted]","detail":"[redacted]"}',
  );
});

it("truncates long lines", () => {
  expect(responseLine(request, new Response(null, { status: 200 }), "n".repeat(5000)).length).toBeLessThan(1100);
});
