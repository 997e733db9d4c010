import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startPythonIndex, yankedMark } from "../../scripts/release/rehearsal/python-index.ts";
import { killedAfterPublishing } from "../../scripts/release/rehearsal/stand-ins.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "call-transfer-stand-ins-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe("a publication that is killed", () => {
  const script = "for each in one two three; do npm view $each; npm publish $each < /dev/null; done";

  /** Runs the script as a step of the workflow, with an npm that notes what it was asked. */
  function publish() {
    mkdirSync(join(folder, "own"), { recursive: true });
    writeFileSync(join(folder, "own/npm"), '#!/bin/sh\necho "$@" >> "$REHEARSAL/asked"\n');
    chmodSync(join(folder, "own/npm"), 0o755);
    const PATH = [join(folder, "bin"), join(folder, "own"), process.env.PATH].join(":");
    return spawnSync("bash", ["-e", "-c", script], { env: { ...process.env, PATH, REHEARSAL: folder } });
  }
  const published = () => readFileSync(join(folder, "asked"), "utf8").match(/(?<=publish ).+/g);

  it("has published as many packages as it may", () => {
    expect(killedAfterPublishing(folder, 2, publish).signal).toBe("SIGKILL");
    expect(published()).toEqual(["one", "two"]);
  });

  it("leaves the next one alone", () => {
    killedAfterPublishing(folder, 1, publish);
    expect(existsSync(join(folder, "bin/npm"))).toBe(false);
    expect(publish().status).toBe(0);
    expect(published()).toEqual(["one", "one", "two", "three"]);
  });
});

describe("the index of Python packages", () => {
  const [old, yanked] = ["call_transfer-1.0.0.tar.gz", "call_transfer-1.0.1.tar.gz"];
  const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

  it("lists the files of the client with their digests, and says which are yanked", async () => {
    await using index = await startIndex();
    writeFileSync(join(folder, old), "old");
    writeFileSync(join(folder, yanked), "wrong");
    writeFileSync(join(folder, yanked + yankedMark), "");
    expect((await (await fetch(`${index.url}call-transfer/`)).text()).split("\n")).toEqual([
      `<a href="/files/${old}#sha256=${digestOf("old")}">${old}</a>`,
      `<a href="/files/${yanked}#sha256=${digestOf("wrong")}" data-yanked="">${yanked}</a>`,
    ]);
    expect(await (await fetch(new URL(`/files/${old}`, index.url))).text()).toBe("old");
  });

  it("sends others to the usual index", async () => {
    await using index = await startIndex();
    const { status, headers } = await fetch(`${index.url}pytest/`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, expect.stringMatching(/^https?:\/\/.+\/pytest\/$/)]);
  });

  async function startIndex() {
    const index = await startPythonIndex(folder);
    return { url: index.url, [Symbol.asyncDispose]: () => index.close() };
  }
});
