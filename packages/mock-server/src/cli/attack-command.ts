import { attackReceiver, type HandledCounts, isLoopback } from "../attack/attack.ts";
import { formatReport } from "../attack/report.ts";
import { attackOptions, exitStatus, variables } from "./options/options.ts";
import { commandLine } from "./terminal/program.ts";
import { isObject, type readArguments, readDuration, readJson, readUrl, UsageError } from "./values/command-line.ts";

type AttackValues = ReturnType<typeof readArguments<typeof attackOptions>>["values"];

/** Attacks a receiver and prints the report. Returns the exit status: 1 if there are findings. */
export async function attack(operands: readonly string[], values: AttackValues): Promise<number> {
  const { payload, "handled-url": handledUrl, "allow-remote": allowRemote } = values;
  if (operands.length === 0)
    throw new UsageError(`Missing the receiver's URL. Usage: ${commandLine("attack http://127.0.0.1:3000/offers")}`);
  const url = operands.map((operand) => readUrl("attack", operand));
  const remote = url.find((one) => !isLoopback(one));
  if (remote !== undefined && !allowRemote)
    throw new UsageError(
      `attack ${remote}: not on this machine. The attack sends forged and very long requests. If the receiver is yours, add --allow-remote.`,
    );
  const secret = values.secret ?? process.env[variables.signingSecret];
  if (!secret) throw new UsageError(`Missing the signing secret. Set ${variables.signingSecret}, or use --secret.`);
  const previousSecret = values["previous-secret"] ?? process.env[variables.previousSigningSecret];
  const timeoutMs = readDuration("--timeout", values.timeout ?? attackOptions.timeout.fallback);
  const report = await attackReceiver({
    url,
    secret,
    allowRemote,
    toleranceMs: readDuration("--tolerance", values.tolerance ?? attackOptions.tolerance.fallback),
    timeoutMs,
    ...(previousSecret && { previousSecret }),
    ...(payload !== undefined && { payload: readFields("--payload", payload) }),
    ...(handledUrl !== undefined && { handled: countsAt(readUrl("--handled-url", handledUrl), timeoutMs) }),
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
