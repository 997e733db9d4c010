import { describe, expect, it } from "vitest";
import { withPackages } from "../../scripts/add.ts";

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
