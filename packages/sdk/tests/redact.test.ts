import { describe, expect, it } from "vitest";
import { redact } from "../src/utils/redact.ts";

describe("redact", () => {
  it("replaces every occurrence of every secret", () => {
    expect(redact("a secret-one b secret-two c secret-one", ["secret-one", "secret-two"])).toBe(
      "a [redacted] b [redacted] c [redacted]",
    );
  });

  it("ignores short tokens, which may be part of ordinary words", () => {
    expect(redact("token_expired", ["token", ""])).toBe("token_expired");
  });
});
