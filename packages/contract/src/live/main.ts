import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { errorCodes, operations } from "@call-transfer/spec";
import { identity } from "./live-case.ts";
import { liveJson, liveText } from "./live-report.ts";
import { type LiveOptions, liveOptions, UsageError, usage } from "./options.ts";
import { checkServer } from "./run-live.ts";

/** What the command is started with; tests hand in their own. */
export interface Shell {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
}

/** A file for the new secret, opened before anything is rotated. Throws where it exists or cannot be written. */
function secretFileOf({ changes }: LiveOptions): { write(secret: string): void; close(): void } {
  if (!changes.rotation) return { write() {}, close() {} };
  const { secretFile } = changes.rotation;
  const file = openSync(secretFile, "wx", 0o600);
  let isUsed = false;
  return {
    write(secret) {
      isUsed = true;
      writeSync(file, `${secret}\n`);
    },
    close() {
      closeSync(file);
      if (!isUsed) unlinkSync(secretFile);
    },
  };
}

/** Why a server cannot be asked at all; undefined when it answers and takes the credential. */
async function obstacle(options: LiveOptions): Promise<string | undefined> {
  const { baseUrl, timeoutSecs } = options;
  try {
    const response = await fetch(baseUrl + operations.listAccounts.path, {
      headers: identity(options),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSecs * 1000),
    });
    if (response.status !== errorCodes.unauthorized.status) return undefined;
    const problem: unknown = await response.json().catch(() => undefined);
    const code = (problem as { code?: unknown } | undefined)?.code;
    return `${baseUrl} refuses the credential: ${response.status} ${code ?? "without a code"}`;
  } catch (error) {
    const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
    return `${baseUrl} cannot be reached: ${String(cause?.code ?? cause?.message ?? (error as Error).message)}`;
  }
}

/** A text without the credentials that the command was given, wherever a server repeats them. */
const withoutCredentials = (text: string, { apiKey, accessToken }: LiveOptions): string =>
  [apiKey, accessToken].reduce<string>(
    (clean, secret) => (secret === undefined ? clean : clean.replaceAll(secret, "[redacted]")),
    text,
  );

/** Runs the command and gives its exit status: 0 when no promise is broken, 1 when one is, 2 when nothing could be asked. */
export async function main({ args, environment, out, err }: Shell): Promise<number> {
  let options: LiveOptions | undefined;
  let secretFile: ReturnType<typeof secretFileOf>;
  try {
    options = liveOptions(args, environment);
    if (!options) {
      out(usage);
      return 0;
    }
    const why = await obstacle(options);
    if (why !== undefined) throw new UsageError(why);
    secretFile = secretFileOf(options);
  } catch (error) {
    err(error instanceof Error ? error.message : String(error));
    if (error instanceof UsageError) err("call-transfer-contract --help lists the options.");
    return 2;
  }
  const given = options;
  const report = await checkServer(given, { announce: err, keepSecret: secretFile.write });
  secretFile.close();
  out(withoutCredentials(given.json ? liveJson(report) : liveText(report), given));
  return report.runs.some(({ failure }) => failure !== undefined) ? 1 : 0;
}
