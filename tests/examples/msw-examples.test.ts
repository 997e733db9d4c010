import { beforeEach, describe, vi } from "vitest";

// The handlers say that a fault needs a real connection; packages/backend/tests/msw.test.ts reads the text.
beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

describe("the test in docs/mock-server-msw.md", async () => {
  await import("../../examples/msw/availability.test.ts");
});

describe("the test that docs/frontends.md links to", async () => {
  await import("../../examples/msw/query.test.ts");
});
