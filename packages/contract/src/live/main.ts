import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { messageOf, printable } from "../suite/trace.ts";
import { liveJson, liveText } from "./live-report.ts";
import { connectionProblem } from "./live-target.ts";
import { exitStatus, type LiveOptions, liveOptions, UsageError, usage } from "./options.ts";
import { checkServer, statusOfReport } from "./run-live.ts";

/** The command's arguments, environment and output; injectable for tests. */
export interface Shell {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
}

/** Opens the file for the new secret before the rotation. Throws when it exists or is not writable. */
function secretFileOf({ changes }: LiveOptions): { write(secret: string): void; close(): void } {
  if (!changes.rotation) return { write() {}, close() {} };
  const { secretFile } = changes.rotation;
  const file = openSync(secretFile, "wx", 0o600);
  let isUsed = false;
  const close = () => {
    process.off("exit", close);
    closeSync(file);
    if (!isUsed) unlinkSync(secretFile);
  };
  // An empty file of an interrupted run would prevent the next run.
  process.once("exit", close);
  return {
    write(secret) {
      isUsed = true;
      writeSync(file, `${secret}\n`);
    },
    close,
  };
}

/** Removes the given credentials, which a server may repeat, and control characters. */
const clean = (text: string, { apiKey, accessToken }: Pick<LiveOptions, "apiKey" | "accessToken"> = {}): string =>
  printable(
    [apiKey, accessToken].reduce<string>(
      (rest, secret) => (secret === undefined ? rest : rest.replaceAll(secret, "[redacted]")),
      text,
    ),
  );

/** Runs the command; returns its exit status: 0 if the server keeps the contract, 1 if not, 2 for an incomplete run. */
export async function main({ args, environment, out, err }: Shell): Promise<number> {
  let options: LiveOptions | undefined;
  let secretFile: ReturnType<typeof secretFileOf>;
  try {
    options = liveOptions(args, environment);
    if (!options) {
      out(usage);
      return exitStatus.passed;
    }
    const why = await connectionProblem(options);
    if (why !== undefined) throw new UsageError(why);
    secretFile = secretFileOf(options);
  } catch (error) {
    err(clean(messageOf(error), options));
    if (error instanceof UsageError) err("For all options: npx @call-transfer/contract --help");
    return exitStatus.incomplete;
  }
  const given = options;
  try {
    const report = await checkServer(given, { announce: err, saveSecret: secretFile.write });
    out(clean(given.json ? liveJson(report) : liveText(report), given));
    if (report.lost !== undefined) err(clean(`${report.lost}. The run is incomplete.`, given));
    return statusOfReport(report, given.strict);
  } finally {
    secretFile.close();
  }
}
