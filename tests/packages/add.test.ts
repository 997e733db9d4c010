import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { asPeers, managerOf, withPackages } from "../../scripts/add.ts";

describe("the package manager of a folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "add-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
  });
  const write = (path: string, text: string | object = "") =>
    writeFileSync(join(folder, path), typeof text === "string" ? text : JSON.stringify(text));

  it("is npm for a folder that does not exist", () => {
    expect(managerOf(join(folder, "missing"))).toBe("npm");
  });

  it.each([
    ["package-lock.json", "npm"],
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    [".yarnrc.yml", "yarn"],
    ["bun.lock", "bun"],
    ["bun.lockb", "bun"],
  ])("is that of %s", (file, manager) => {
    write(file);
    expect(managerOf(folder)).toBe(manager);
  });

  it("is the one that package.json names, whatever lockfile is there", () => {
    write("package.json", { packageManager: "pnpm@10.34.9" });
    write("package-lock.json");
    expect(managerOf(folder)).toBe("pnpm");
  });

  it("is that of the workspace that contains the folder", () => {
    write("package.json", { workspaces: ["apps/*"] });
    write("yarn.lock");
    mkdirSync(join(folder, "apps/one"), { recursive: true });
    expect(managerOf(join(folder, "apps/one"))).toBe("yarn");
  });

  it("is not that of a folder further up that is no workspace", () => {
    write("pnpm-lock.yaml");
    mkdirSync(join(folder, "app"));
    expect(managerOf(join(folder, "app"))).toBe("npm");
  });
});

describe("package.json", () => {
  const files = { "@call-transfer/sdk": "file:./sdk.tgz", "@call-transfer/mock-server": "file:./mock-server.tgz" };
  const added = (manifest: object, asked = ["sdk", "mock-server"]): unknown =>
    JSON.parse(withPackages(JSON.stringify(manifest), files, asked));

  it("gets the SDK as a dependency, the rest for development, and keeps what it has", () => {
    expect(added({ name: "app", dependencies: { zod: "^4.0.0" }, scripts: { start: "node ." } })).toEqual({
      name: "app",
      scripts: { start: "node ." },
      dependencies: { "@call-transfer/sdk": "file:./sdk.tgz", zod: "^4.0.0" },
      devDependencies: { "@call-transfer/mock-server": "file:./mock-server.tgz" },
    });
  });

  it("keeps each package the kind of dependency that it was", () => {
    expect(
      added({ dependencies: { "@call-transfer/mock-server": "1" }, devDependencies: { "@call-transfer/sdk": "1" } }),
    ).toEqual({
      dependencies: { "@call-transfer/mock-server": "file:./mock-server.tgz" },
      devDependencies: { "@call-transfer/sdk": "file:./sdk.tgz" },
    });
  });

  it("gets a package for development that only another of them needs", () => {
    expect(added({}, ["mock-server"])).toEqual({ devDependencies: files });
  });

  it("keeps its indentation", () => {
    expect(withPackages('{\n\t"name": "app"\n}\n', {}, [])).toBe('{\n\t"name": "app"\n}\n');
  });
});

it("packages find each other as peers, and bring what a dependent brought to another", () => {
  const spec = { name: "spec", version: "1.2.0", peerDependencies: { zod: "^4.0.0" } };
  const backend = {
    name: "backend",
    version: "0.2.0",
    dependencies: { spec: "~1.0.0", zod: "^4.6.7" },
    peerDependencies: { msw: "^3.0.0" },
    peerDependenciesMeta: { msw: { optional: true } },
  };
  expect(asPeers([{ ...spec, peerDependenciesMeta: { zod: { optional: true } } }, backend])).toEqual([
    { ...spec, dependencies: { zod: "^4.0.0" }, peerDependencies: {}, peerDependenciesMeta: {} },
    { ...backend, dependencies: { zod: "^4.6.7" }, peerDependencies: { spec: "1.2.0", msw: "^3.0.0" } },
  ]);
});
