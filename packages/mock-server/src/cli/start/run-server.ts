import type { Sandboxes } from "@call-transfer/backend";
import { letProcessEnd, setTimeout } from "@call-transfer/backend/unstable";
import { startLog } from "../../log/server-log.ts";
import { errorMessage } from "../../web/error-message.ts";
import { removeOwnReadyFile } from "../files/ready-file.ts";
import { writeFileAtomically } from "../files/write-file.ts";
import { exitStatus } from "../options/options.ts";
import { printError } from "../terminal/messages.ts";
import type { StartValues } from "./start-options.ts";

interface RunningServer {
  close(): Promise<void>;
  readonly sandboxes?: Sandboxes;
}

interface Run<Ready> {
  readonly values: Pick<StartValues, "json" | "ready-file">;
  /** How to log what happens in the sandboxes. */
  readonly log: Parameters<typeof startLog>[1];
  /** Runs before the server closes at a signal. */
  readonly beforeClose?: (() => void) | undefined;
  /** Returns what `--json` and `--ready-file` contain. */
  readonly prepare: () => Ready | Promise<Ready>;
  readonly banner: (ready: Ready) => string;
}

/** Prints that a server is ready, and then its log. A signal ends the process; an error before that closes the server. */
export async function runServer<Ready extends object>(
  server: RunningServer,
  { values, log, beforeClose, prepare, banner }: Run<Ready>,
): Promise<void> {
  const { json, "ready-file": readyFile } = values;
  let stopLog = () => Promise.resolve();
  onSignal(async () => {
    // First, so that the log does not show how the server closes.
    const logged = stopLog();
    try {
      beforeClose?.();
    } finally {
      if (readyFile !== undefined) removeOwnReadyFile(readyFile);
      await server.close();
      await logged;
    }
  });
  try {
    const ready = await prepare();
    if (readyFile !== undefined) writeFileAtomically(readyFile, JSON.stringify(ready));
    console.log(json || log === "json" ? JSON.stringify(ready) : banner(ready));
    if (server.sandboxes !== undefined) stopLog = startLog(server.sandboxes, log);
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** First signal: graceful shutdown. Second: exit immediately. */
function onSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(exitStatus.interrupted);
    isStopping = true;
    stop().then(
      () => process.exit(exitStatus.success),
      (error: unknown) => {
        printError(errorMessage(error));
        process.exit(exitStatus.failure);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (isByPackageManager()) onLostParent(() => isStopping || end());
}

/** How often a server looks whether its parent is still there, in milliseconds. */
const lookEveryMs = 500;

/**
 * Whether npx or a script of package.json that does nothing else has started this process. Both run it in a shell, which dies of a
 * signal without passing it on. A script may also leave a server behind on purpose, with `&`.
 */
function isByPackageManager(): boolean {
  return /^'?call-transfer-mock'?(?: [^&;|]*)?$/.test(process.env.npm_lifecycle_script ?? "");
}

function onLostParent(end: () => void): void {
  const { ppid } = process;
  const look = (): void => (process.ppid === ppid ? letProcessEnd(setTimeout(look, lookEveryMs)) : end());
  look();
}
