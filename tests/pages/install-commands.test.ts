import { describe, expect, it } from "vitest";
import { installCommands, installCommandsIn } from "./install-commands.ts";

it("the install commands of a page are those in blocks, in comments of programs and in code of sentences", () => {
  const text = `\`\`\`sh
npm install --save-dev a \\
  b
npm install @hey-api/openapi-ts
npx openapi-ts -i a
npx -y newman run b
\`\`\`
Or \`pip install
'e[f]'\`. Without it, npx fetches the newest.`;
  expect(installCommandsIn("page.md", text).map(({ command, packages }) => [command, ...packages])).toEqual([
    ["npm install --save-dev a b", "a", "b"],
    ["npm install @hey-api/openapi-ts", "@hey-api/openapi-ts"],
    ["npx --yes newman --help", "newman"],
    ["pip install 'e[f]'", "e"],
  ]);
});

describe("the install commands of all pages", () => {
  it("are distinct, and none is of a page for developers", () => {
    const all = installCommands();
    expect(new Set(all.map(({ command }) => command)).size).toBe(all.length);
    expect(all.filter(({ page }) => /releasing|CONTRIBUTING|decisions/.test(page))).toEqual([]);
  });

  it("name each of our packages", () => {
    const named = new Set(installCommands().flatMap(({ packages }) => packages));
    const names = ["backend", "contract", "mcp", "mock-server", "sdk", "spec"].map((name) => `@call-transfer/${name}`);
    expect([...names, "call-transfer"].filter((name) => !named.has(name))).toEqual([]);
  });
});
