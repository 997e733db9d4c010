import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("the frontend's own test in docs/mock-server-msw.md", async () => {
  await import("../examples/msw/availability.test.ts");
});

it.each(["examples/msw/mocks.ts", "examples/msw/availability.test.ts"])(
  "docs/mock-server-msw.md shows %s as it is",
  (path) => {
    expect(read("docs/mock-server-msw.md")).toContain(`<!-- ${path} -->\n\n\`\`\`ts\n${read(path)}\`\`\`\n`);
  },
);
