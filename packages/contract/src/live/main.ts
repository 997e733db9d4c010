import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { printable } from "../suite/trace.ts";
import { liveJson, liveText } from "./live-report.ts";
import { connectionProblem } from "./live-target.ts";
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
  const close = () => {
    process.off("exit", close);
    closeSync(file);
    if (!isUsed) unlinkSync(secretFile);
  };
  // An empty file of a run that was broken off would keep the next one from starting.
  process.once("exit", close);
  return {
    write(secret) {
      isUsed = true;
      writeSync(file, `${secret}\n`);
    },
    close,
  };
}

/** A text without the credentials that the command was given, wherever a server repeats them, and fit for a terminal. */
const clean = (text: string, { apiKey, accessToken }: Pick<LiveOptions, "apiKey" | "accessToken"> = {}): string =>
  printable(
    [apiKey, accessToken].reduce<string>(
      (rest, secret) => (secret === undefined ? rest : rest.replaceAll(secret, "[redacted]")),
      text,
    ),
  );

/** Runs the command and gives its exit status: 0 when no promise is broken, 1 when one is, 2 when not all could be asked. */
export async function main({ args, environment, out, err }: Shell): Promise<number> {
  let options: LiveOptions | undefined;
  let secretFile: ReturnType<typeof secretFileOf>;
  try {
    options = liveOptions(args, environment);
    if (!options) {
      out(usage);
      return 0;
    }
    const why = await connectionProblem(options);
    if (why !== undefined) throw new UsageError(why);
    secretFile = secretFileOf(options);
  } catch (error) {
    err(clean(error instanceof Error ? error.message : String(error), options));
    if (error instanceof UsageError) err("Run npx @call-transfer/contract --help to see the options.");
    return 2;
  }
  const given = options;
  try {
    const report = await checkServer(given, { announce: err, saveSecret: secretFile.write });
    out(clean(given.json ? liveJson(report) : liveText(report), given));
    if (report.lost !== undefined) {
      err(clean(`${report.lost}. It answered before, and not all was asked.`, given));
      return 2;
    }
    return report.runs.some(({ failure }) => failure !== undefined) ? 1 : 0;
  } finally {
    secretFile.close();
  }
}
