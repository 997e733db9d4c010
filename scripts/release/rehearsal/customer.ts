// A customer's project: a typed program and a test against the mock server, installed from the registry with each package manager.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, runWith, tools } from "../../packed.ts";
import { objectIn } from "../json.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** How a package manager installs what pages name, and how it updates within the ranges. */
interface Manager {
  readonly program: readonly [string, ...string[]];
  readonly add: readonly string[];
  readonly update: readonly string[];
}

const tool = (path: string): readonly [string, string] => [process.execPath, join(tools, "node_modules", path)];

const managers = {
  npm: { program: ["npm"], add: ["install"], update: ["update"] },
  pnpm: { program: tool("pnpm/bin/pnpm.cjs"), add: ["add"], update: ["update"] },
  "yarn 1": { program: tool("yarn-1/bin/yarn.js"), add: ["add"], update: ["upgrade"] },
  "yarn 4": { program: tool("yarn-4/bin/yarn.js"), add: ["add"], update: ["up", "-R", "@call-transfer/*"] },
  bun: { program: [join(tools, "node_modules/.bin/bun")], add: ["add"], update: ["update"] },
} as const satisfies Record<string, Manager>;

export type ManagerName = keyof typeof managers;
export const managerNames: readonly ManagerName[] = ["npm", "pnpm", "yarn 1", "yarn 4", "bun"];

const program = `import { CallTransfer, type Role } from "@call-transfer/sdk";

export async function rolesAt(baseUrl: string, apiKey: string): Promise<readonly Role[]> {
  const { roles } = await new CallTransfer({ baseUrl, apiKey }).roles.list();
  return roles.map(({ role }) => role);
}
`;

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { startMockServer } from "@call-transfer/mock-server";
import { demo } from "@call-transfer/mock-server/backend";
import { rolesAt } from "./app.ts";

test("the app lists the roles", async () => {
  const server = await startMockServer({ port: 0 });
  try {
    assert.ok((await rolesAt(server.url, demo.apiKey)).length > 0);
  } finally {
    await server.close();
  }
});
`;

const compilerOptions = {
  ...{ noEmit: true, strict: true, module: "nodenext", target: "es2022", skipLibCheck: true },
  ...{ allowImportingTsExtensions: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
};

/** The packages that a customer names. */
const named = ["@call-transfer/sdk", "@call-transfer/mock-server"] as const;

/** What each project of a customer can do, in whatever language. */
export interface Project {
  readonly manager: string;
  /** The packages that it names. */
  readonly named: readonly string[];
  add(): void;
  /** Takes what its ranges allow now. */
  update(): void;
  /** Runs its test. @throws {Error} with what was printed */
  check(): void;
  /** The installed version of a package. */
  version(name: string): string;
}

/** A project in a new folder. */
export class Customer implements Project {
  readonly manager: ManagerName;
  readonly named: readonly string[] = named;
  readonly folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(folder: string, manager: ManagerName, environment: NodeJS.ProcessEnv) {
    this.manager = manager;
    this.folder = folder;
    // A program that a package's script starts is this Node.
    const path = [dirname(process.execPath), environment.PATH].join(delimiter);
    this.#environment = { ...environment, PATH: path };
    mkdirSync(folder, { recursive: true });
    const description = { name: "customer", version: "1.0.0", private: true, type: "module" };
    const files = {
      "package.json": description,
      "tsconfig.json": { compilerOptions, files: ["app.ts", "app.test.ts"] },
      // Otherwise yarn 4 takes a project above for its own, installs without a folder of modules, and waits with new versions.
      ...(manager === "yarn 4"
        ? { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\nenableTelemetry: false\nnpmMinimalAgeGate: 0\n" }
        : {}),
    };
    for (const [name, content] of Object.entries({ ...files, "app.ts": program, "app.test.ts": test }))
      writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }

  /** Adds packages, by default as the pages do: without a version, so that the manager writes its usual range. */
  add(...packages: readonly string[]): void {
    this.#manage(...managers[this.manager].add, ...(packages.length > 0 ? packages : named));
  }

  update(): void {
    this.#manage(...managers[this.manager].update);
  }

  /** Compiles the program and runs its test. @throws {Error} with what was printed */
  check(): void {
    run(this.folder, process.execPath, join(root, "node_modules/typescript-7/bin/tsc"), "-p", ".");
    run(this.folder, process.execPath, "--test", "app.test.ts");
  }

  /** The installed version of a package that the project names. */
  version(name: string): string {
    const path = join(this.folder, "node_modules", name, "package.json");
    return String(objectIn(JSON.parse(readFileSync(path, "utf8"))).version);
  }

  /** How many copies of a package there are. Managers that link packages are counted by what they link to. */
  copies(name: string): number {
    const options = { cwd: this.folder };
    return globSync(
      ["node_modules", "node_modules/**/node_modules"].map((each) => `${each}/${name}/package.json`),
      options,
    ).length;
  }

  #manage(...options: readonly string[]): void {
    const [command, ...first] = managers[this.manager].program;
    runWith(this.#environment, this.folder, command, ...first, ...options);
  }
}
