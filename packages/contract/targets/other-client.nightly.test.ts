import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startMockServer } from "@call-transfer/mock-server";
import { type OperationId, operations } from "@call-transfer/spec";
import { createClient } from "@hey-api/openapi-ts";
import { afterAll, expect, it } from "vitest";
import { operationIds } from "../src/document/document.ts";
import { accounts, start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { validInput } from "../src/suite/client.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "call-transfer-other-client-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The call of an operation with the contract's example as its input. */
function callOf(operation: OperationId): string {
  const { path, body } = validInput(operation);
  const input = { ...(Object.keys(path).length > 0 && { path }), ...(body !== undefined && { body }) };
  return `api.${operation}({ ...${JSON.stringify(input)}, throwOnError })`;
}

/** A program that only uses the document. It calls every operation with the functions and types of another generator. */
const program = `
import { client } from "./client/client.gen.js";
import * as api from "./client/index.js";

const [baseUrl = "", key = ""] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key, throwOnError: true });
const throwOnError = true as const;

const answers = {
${operationIds.map((operation) => `  ${operation}: await ${callOf(operation)},`).join("\n")}
};
const { data: group } = answers.createDestinationGroup;
const { data: availability } = answers.getMemberAvailability;
const { data: call } = answers.createCall;
const secret: string | null | undefined = answers.rotateDestinationSecret.data.signingSecret;
const ringing: (number | undefined)[] = group.members.map((member) => member.ringTimeoutSecs);
const isFree: boolean = availability.status === "available" && !availability.busy;
const placed: string | number = call.type === "initiated" ? call.callId : call.position;
const total: number = answers.listCalls.data.meta.total;
const refused = await api.createDestinationGroup({ body: { name: "", members: [] }, throwOnError: false });

console.log(JSON.stringify({
  secret,
  ringing,
  isFree,
  placed,
  total,
  statuses: Object.fromEntries(Object.entries(answers).map(([operation, { response }]) => [operation, response.status])),
  refused: refused.error?.code,
  fields: refused.error?.errors?.map(({ field }) => field),
}));
`;

/** Generates a client from the document and compiles it with the program. Returns the path of the program. */
async function compile(): Promise<string> {
  await createClient({
    input: join(root, "packages/spec/openapi.json"),
    output: { path: join(folder, "client"), importFileExtension: ".js" },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  });
  writeFileSync(join(folder, "happy-paths.ts"), program);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"), "junction");
  const compilerOptions = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
    skipLibCheck: true,
    outDir: "out",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["happy-paths.ts"] }));
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  await run(process.execPath, [compiler, "-p", folder, "--singleThreaded"]).catch((error: { stdout?: string }) => {
    throw new Error(`The other client does not compile:\n${error.stdout}`, { cause: error });
  });
  return join(folder, "out/happy-paths.js");
}

it("a client of another generator runs every operation", async () => {
  const file = await compile();
  const server = await startMockServer({ port: 0, clockMode: "frozen", now: start, seed: structuredClone(world) });
  try {
    const { key } = server.backend.credentials.createApiKey({ accountId: accounts.home });
    const { stdout } = await run(process.execPath, [file, server.url, key]);
    const statuses = operationIds.map((operation) => [operation, operations[operation].successes[0].status]);
    expect(JSON.parse(stdout)).toEqual({
      secret: expect.stringMatching(/./),
      ringing: [null, 20],
      isFree: true,
      placed: expect.stringMatching(/./),
      total: expect.any(Number),
      statuses: Object.fromEntries(statuses),
      refused: "validation_failed",
      fields: ["name", "members"],
    });
  } finally {
    await server.close();
  }
});
