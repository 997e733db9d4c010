import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A folder inside the workspace, where the examples find its packages. */
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "attack-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes an example, optionally with a bug: another secret. */
function example(name: string, isBroken: boolean): string {
  const text = readFileSync(join(root, "examples/attack", name), "utf8");
  const broken = text.replace("createWebhookHandler({ secret,", 'createWebhookHandler({ secret: "another",');
  expect(broken).not.toBe(text);
  const path = join(folder, `${isBroken ? "broken" : "correct"}.${name}`);
  writeFileSync(path, isBroken ? broken : text);
  return path;
}

async function run(args: readonly string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: folder, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const [status] = await once(child, "close");
  return { status, output };
}

describe("the test in docs/attack.md", () => {
  const condition = "--conditions=@call-transfer/source";
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const config = join(folder, "vitest.config.mjs");
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(folder)}, ssr: { resolve: { conditions: ["@call-transfer/source", "node", "import"] } } };`,
  );

  const runners: [string, (path: string) => readonly string[], string][] = [
    ["node:test", (path) => [condition, "--test", path], "node.test.mjs"],
    ["Vitest", (path) => [vitest, "run", "--config", config, path], "vitest.test.ts"],
  ];

  it.each(runners)("passes in %s with a correct receiver", async (_name, argumentsOf, file) => {
    const { status, output } = await run(argumentsOf(example(file, false)));
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  it.each(runners)("fails in %s with a wrong one, and says why", async (_name, argumentsOf, file) => {
    const { status, output } = await run(argumentsOf(example(file, true)));
    expect(status).toBe(1);
    expect(output).toContain(": 1 finding");
    expect(output).toContain("✗ Nothing genuine is accepted");
    expect(output).toContain("A genuine offer got status 400.");
  });
});
