import { describe, expect, it } from "vitest";
import { installCommands, installCommandsIn } from "./install-commands.ts";

const commandsIn = (text: string, page = "page.md") => installCommandsIn(page, text).map(({ command }) => command);
const inBlock = (text: string, language = "sh"): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;

describe("the install commands of a page", () => {
  it("are those in blocks, in comments of their programs and in code of sentences", () => {
    const text = `${inBlock("npm init --yes\nnpm install --save-dev a \\\n  b")}${inBlock("//   bun add c     (once)", "ts")}
Or \`pnpm add d\`, or \`npm ci && pip install
'e[f]'\`.`;
    expect(commandsIn(text)).toEqual(["npm install --save-dev a b", "bun add c", "pnpm add d", "pip install 'e[f]'"]);
  });

  it("are not in words, in comments that readers do not see, and in commands that name no package", () => {
    const text = `Without it, npx fetches the newest.\n<!-- given: npm install a -->\n${inBlock("npm install --prefix b\nnpm install")}`;
    expect(commandsIn(text)).toEqual([]);
  });

  it("print the help of what npx runs, also by settings of an assistant", () => {
    const settings = inBlock('{ "command": "npx", "args": ["-y", "@call-transfer/mcp@0", "--sandbox", "a"] }', "json");
    expect(
      commandsIn(
        inBlock("npx @call-transfer/mock-server attack http://127.0.0.1:3000 &\nnpx -y newman run b") + settings,
      ),
    ).toEqual([
      "npx --yes @call-transfer/mock-server --help",
      "npx --yes newman --help",
      "npx --yes @call-transfer/mcp@0 --help",
    ]);
  });

  it("leave out what npx finds among packages that the page installs", () => {
    const text = inBlock("npm install @hey-api/openapi-ts typescript@5\nnpx openapi-ts -i a\nnpx typescript");
    expect(commandsIn(text)).toEqual(["npm install @hey-api/openapi-ts typescript@5"]);
  });

  it.each([
    ["npm install @a/b@1 c@2 npm:@d/e", ["@a/b", "c", "@d/e"]],
    ["pip install 'a[b]' 'c~=1.0' 'd>=1,<2'", ["a", "c", "d"]],
    ["pip install ./packages/python", ["./packages/python"]],
    ["pip install packages/python", ["./packages/python"]],
  ])("name their packages: %s", (command, packages) => {
    expect(installCommandsIn("page.md", inBlock(command))).toEqual([{ command, packages, page: "page.md" }]);
  });

  it("of a program are in its comments", () => {
    expect(commandsIn("//   deno add npm:@a/b\n//   deno run c.ts\n", "examples/c.ts")).toEqual(["deno add npm:@a/b"]);
  });
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
