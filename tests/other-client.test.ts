import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { operations } from "@call-transfer/spec";
import { createClient } from "@hey-api/openapi-ts";
import { afterAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "call-transfer-other-client-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that only knows the document. It calls every operation with the functions and types of another generator. */
const program = `
import { client } from "./client/client.gen.js";
import * as api from "./client/index.js";

const [baseUrl = "", key = "", demoText = ""] = process.argv.slice(2);
const demo: { app: string; phone: string; member: string; flow: string; from: string; provider: string; to: string } =
  JSON.parse(demoText);
client.setConfig({ baseUrl, auth: key, throwOnError: true });
const throwOnError = true as const;

const { data: { accounts } } = await api.listAccounts({ throwOnError });
const { data: { roles } } = await api.listRoles({ throwOnError });
const permissions: string[] = roles.flatMap((definition) => definition.permissions);
const { data: app } = await api.rotateDestinationSecret({ path: { id: demo.app }, throwOnError });
const secret: string | null | undefined = app.signingSecret;
const { data: group } = await api.createDestinationGroup({
  body: { name: "Made by another client", members: [{ destinationId: demo.phone, ringTimeoutSecs: 20 }] },
  throwOnError,
});
const ringing: (number | undefined)[] = group.members.map((member) => member.ringTimeoutSecs);
const { data: availability } = await api.getMemberAvailability({ path: { memberId: demo.member }, throwOnError });
const isFree: boolean = availability.status === "available" && !availability.busy;
const { response: removed } = await api.deleteMemberHours({ path: { memberId: demo.member }, throwOnError });
const { data: call } = await api.createCall({
  body: { flowId: demo.flow, fromNumber: demo.from, providerId: demo.provider, toNumber: demo.to },
  throwOnError,
});
const placed: string | number = call.type === "initiated" ? call.callId : call.position;
const { data: { calls, meta } } = await api.listCalls({ query: { limit: 1, offset: 0 }, throwOnError });
const refused = await api.createDestinationGroup({ body: { name: "", members: [] }, throwOnError: false });

console.log(JSON.stringify({
  accounts: accounts.length,
  permissions: permissions.length > 0,
  secret,
  strategy: group.strategy,
  totalTimeoutSecs: group.totalTimeoutSecs,
  ringing,
  isFree,
  removed: removed.status,
  placed,
  listed: calls.length,
  total: meta.total > 0,
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
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-p", folder]).catch((error: { stdout?: string }) => {
    throw new Error(`The other client does not compile:\n${error.stdout}`, { cause: error });
  });
  return join(folder, "out/happy-paths.js");
}

it("a client of another generator runs every operation", async () => {
  const file = await compile();
  const server = await startMockServer({ port: 0, clock: "frozen", now: "2026-03-02T12:00:00Z" });
  const ids = {
    app: demo.destinations.app,
    phone: demo.destinations.phone,
    member: demo.members.owner,
    flow: demo.flows.published,
    from: demo.numbers.working,
    provider: demo.providers.working,
    to: demo.recipients.anyone,
  };
  try {
    const { stdout } = await run(process.execPath, [file, server.url, demo.apiKey, JSON.stringify(ids)]);
    expect(JSON.parse(stdout)).toEqual({
      accounts: 1,
      permissions: true,
      secret: expect.stringMatching(/./),
      strategy: "simultaneous",
      totalTimeoutSecs: operations.createDestinationGroup.successes[0].example.totalTimeoutSecs,
      ringing: [20],
      isFree: true,
      removed: operations.deleteMemberHours.successes[0].status,
      placed: expect.stringMatching(/./),
      listed: 1,
      total: true,
      refused: "validation_failed",
      fields: ["name", "members"],
    });
    const succeeded = server.backend.journal.list().filter(({ status }) => status < 300);
    const unused = Object.keys(operations).filter((id) => !succeeded.some(({ operationId }) => operationId === id));
    expect(unused).toEqual([]);
  } finally {
    await server.close();
  }
});
