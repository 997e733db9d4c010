// Runs the recipe for pino and reads its log.
import assert from "node:assert/strict";
import { runProgram } from "./processes.ts";
import type { Stage } from "./stage.ts";

interface Line {
  readonly level: number;
  readonly module?: string;
  readonly msg: string;
  readonly err?: { readonly code?: string; readonly outcome?: string; readonly attempts?: readonly object[] };
}

const [debug, info, warn, error] = [20, 30, 40, 50];

/** Checks the log of a retry, of a failure, and at another level. */
export async function checkPino(folder: string, { backend, environment }: Stage): Promise<string[]> {
  const logOf = async (variables: Readonly<Record<string, string>>) => {
    const all = { NODE_ENV: "development", ...environment, ...variables };
    const output = await runProgram(folder, [process.execPath, "pino.ts"], all);
    const lines = output.trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Line);
  };
  backend.faults.add({ match: { operationId: "listCalls" }, when: { times: 1 }, do: { code: "service_unavailable" } });
  const all = await logOf({});
  const [failed] = backend.requests.list({ operationId: "listCalls" });
  const ofSdk = [debug, warn, debug].map((level) => [level, "call-transfer"]);
  assert.deepEqual(
    all.map(({ level, module }) => [level, module]),
    [...ofSdk, [info, undefined]],
  );
  assert.ok(all[0]?.msg.includes(failed?.requestId ?? "none"), "the failed attempt names its request");

  const [refused] = await logOf({ CALL_TRANSFER_API_KEY: "svc_live_unknown", CALL_TRANSFER_LOG: "off" });
  assert.deepEqual([refused?.level, refused?.err?.code, refused?.err?.outcome], [error, "api_key_invalid", "rejected"]);
  assert.partialDeepStrictEqual(refused?.err?.attempts, [
    { status: 401, requestId: backend.requests.list().at(-1)?.requestId },
  ]);
  return ["attempts at debug", "retries at warn", "error with its request id"];
}
