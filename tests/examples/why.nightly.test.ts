// Runs the programs of docs/why.md with the SDKs in examples/why/package.json. The page must show their output.
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureInstalled } from "../../scripts/packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/why.md`, "utf8");
const programs = globSync("examples/why/*.mjs", { cwd: root }).filter((path) => !path.endsWith("clients.mjs"));

/** The output that the page shows below a program. */
function shownBelow(program: string): string | undefined {
  const section = page.split("\n## ").find((text) => text.includes(`<!-- ${program} -->`));
  return /```text\n(.*?)```/s.exec(section ?? "")?.[1];
}

beforeAll(() => ensureInstalled(`${root}examples/why`));

describe("what docs/why.md shows", () => {
  it.concurrent.each(programs)("is what %s prints", async (program) => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@call-transfer/source", program], {
      cwd: root,
    });
    expect(stdout).toBe(shownBelow(program));
  });
});
