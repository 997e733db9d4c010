// Runs the Postman collection against a mock server with Postman's own runner, and checks the Bruno collection by Bruno's schema.
// Installs both. Bruno's runner brings 508 packages with 275 MB, so only its schema is installed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startMockServer } from "@call-transfer/mock-server";
import { operations } from "@call-transfer/spec";
import { loadControl, operationsOf } from "../../scripts/generate/read/document.ts";
import { ensureInstalled, temporaryFolder } from "../../scripts/packed.ts";
import { brunoCollection, postmanCollection } from "../../site/collection-formats.ts";
import { collection, controlSamples } from "../../site/collections.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
ensureInstalled(folder);

/** Operations of the control plane without a request; control-samples.yaml says why. */
const leftOut = ["seedSandbox", "downloadBackup", "restoreSnapshot", "streamEvents"];
const whole = await collection();
let server: Awaited<ReturnType<typeof startMockServer>>;
before(async () => {
  server = await startMockServer({ port: 0 });
});
after(() => server.close());

interface Report {
  readonly run: {
    readonly stats: Readonly<Record<"requests" | "assertions", { readonly total: number; readonly failed: number }>>;
    readonly failures: readonly {
      readonly source: { readonly name: string };
      readonly error: { readonly message: string };
    }[];
  };
}

/** Runs a part of the Postman collection with newman, and returns its report. */
async function run(part: string): Promise<Report> {
  using files = temporaryFolder("collections");
  const [file, report] = [join(files.path, "collection.json"), join(files.path, "report.json")];
  writeFileSync(file, JSON.stringify(postmanCollection(whole)));
  const newman = join(folder, "node_modules/newman/bin/newman.js");
  const options = ["--folder", part, "--env-var", `baseUrl=${server.url}`, "--reporters", "json"];
  const child = spawn(process.execPath, [newman, "run", file, ...options, "--reporter-json-export", report], {
    stdio: "inherit",
  });
  await once(child, "close");
  return JSON.parse(readFileSync(report, "utf8")) as Report;
}

function expectSuccess({ run: { stats, failures } }: Report, requests: number): void {
  const problems = failures.map(({ source, error }) => `${source.name}: ${error.message}`);
  assert.deepEqual(problems, []);
  assert.equal(stats.requests.total, requests);
  assert.equal(stats.assertions.total, requests);
}

describe("the Postman collection", () => {
  it("calls each operation of the API once, and each answers with a success", async () => {
    expectSuccess(await run(whole.api.name), Object.keys(operations).length);
    const coverage = (await (await fetch(`${server.url}/_control/v1/coverage`)).json()) as {
      readonly operations: readonly {
        readonly operationId: string;
        readonly statuses: readonly { readonly status: number; readonly count: number }[];
      }[];
    };
    const called = coverage.operations.map(({ operationId, statuses }) => {
      const successes = statuses.filter(({ status }) => status < 300).reduce((sum, { count }) => sum + count, 0);
      return [operationId, successes];
    });
    assert.deepEqual(Object.fromEntries(called), Object.fromEntries(Object.keys(operations).map((id) => [id, 1])));
  });

  it("can be run twice", async () => {
    expectSuccess(await run(whole.api.name), Object.keys(operations).length);
  });

  it("calls the operations of the control plane, and each answers with a success", async () => {
    expectSuccess(await run(whole.control.name), Object.keys(controlSamples).length);
    const all = [...operationsOf(await loadControl())].map(({ operation }) => operation.operationId);
    assert.deepEqual(all.filter((id) => !(id in controlSamples)).sort(), leftOut);
  });
});

describe("the Bruno collection", () => {
  const { collectionSchema } = createRequire(import.meta.url)("@usebruno/schema") as {
    readonly collectionSchema: { validate(value: unknown): Promise<unknown> };
  };
  let ids = 0;
  /** Gives each entry of a list an id, as Bruno does when it imports a file. */
  function imported(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(imported);
    if (typeof value !== "object" || value === null) return value;
    const parts = Object.entries(value).map(([key, part]) => [
      key,
      Array.isArray(part)
        ? part.map((entry) =>
            typeof entry === "object"
              ? { ...(imported(entry) as object), uid: String(++ids).padStart(21, "u") }
              : entry,
          )
        : imported(part),
    ]);
    return Object.fromEntries(parts);
  }
  const asImported = () => ({ ...(imported(brunoCollection(whole)) as object), uid: "u".repeat(21) });

  it("is valid by Bruno's schema", async () => {
    await collectionSchema.validate(asImported());
  });

  it("is checked by a schema that refuses another field", async () => {
    await assert.rejects(() => collectionSchema.validate({ ...asImported(), requests: [] }), /unspecified|unknown/);
  });

  it("sends what the Postman collection sends", () => {
    const sent = (item: unknown): unknown[] => {
      const { items, item: list, request } = item as { items?: unknown[]; item?: unknown[]; request?: Sent };
      return request === undefined ? (items ?? list ?? []).flatMap(sent) : [plain(request)];
    };
    assert.deepEqual(sent(brunoCollection(whole)), sent(postmanCollection(whole)));
  });
});

/** A request of either format. */
interface Sent {
  readonly method: string;
  readonly url: string | { readonly raw: string };
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly header?: readonly { readonly key: string; readonly value: string }[];
  readonly body?: { readonly json?: string; readonly raw?: string };
}

const plain = ({ method, url, headers = [], header = [], body }: Sent) => ({
  method,
  url: typeof url === "string" ? url : url.raw,
  headers: [...headers.map(({ name, value }) => [name, value]), ...header.map(({ key, value }) => [key, value])],
  body: body?.json ?? body?.raw,
});
