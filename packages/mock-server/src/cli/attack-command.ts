import { attackReceiver, type HandledCounts } from "../attack/attack.ts";
import { formatReport } from "../attack/report.ts";
import { attackOptions, exitStatus, variables } from "./options.ts";
import { type RawValues, settle } from "./settings.ts";
import { isObject, readJson, readUrl, UsageError } from "./values.ts";

/** Attacks a receiver and prints the report. Returns the exit status: 1 if there are findings. */
export async function attack(urls: readonly string[], raw: RawValues): Promise<number> {
  const { values } = settle(attackOptions, raw, {});
  const { payload, handledUrl, allowRemote, timeout: timeoutMs } = values;
  const url = urls.map((one) => readUrl("attack", one));
  const secret = values.secret ?? process.env[variables.signingSecret];
  if (!secret) throw new UsageError(`Missing the signing secret. Set ${variables.signingSecret}, or use --secret.`);
  const previousSecret = values.previousSecret ?? process.env[variables.previousSigningSecret];
  const report = await attackReceiver({
    url,
    secret,
    allowRemote,
    timeoutMs,
    ...(previousSecret && { previousSecret }),
    ...(payload !== undefined && { payload: readFields("--payload", payload) }),
    ...(handledUrl !== undefined && { handled: countsAt(handledUrl, timeoutMs) }),
  });
  console.log(values.json ? JSON.stringify(report) : formatReport(report));
  return report.findings.length > 0 ? exitStatus.failure : exitStatus.success;
}

function readFields(option: string, path: string): Record<string, unknown> {
  const fields = readJson(option, path);
  if (isObject(fields)) return fields;
  throw new UsageError(`${option} ${path}: must be a JSON object.`);
}

/** Returns a function that reads the counts from the receiver. */
function countsAt(url: string, timeoutMs: number): () => Promise<HandledCounts> {
  return async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
      throw new Error(`--handled-url ${url}: nothing answers. Check the address.`, { cause: error });
    });
    const counts: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
    if (isObject(counts) && Object.values(counts).every((count) => typeof count === "number"))
      return counts as Record<string, number>;
    throw new Error(
      `--handled-url ${url}: got status ${response.status} without the counts. Answer with JSON such as { "<event id>": 1 }.`,
    );
  };
}
