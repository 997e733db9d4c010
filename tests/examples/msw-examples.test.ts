import { describe } from "vitest";

describe("the test in docs/mock-server-msw.md", async () => {
  await import("../../examples/msw/availability.test.ts");
});

describe("the test that docs/frontends.md links to", async () => {
  await import("../../examples/msw/query.test.ts");
});
