import { lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** How long a server runs until its compiled code is written, in milliseconds. Its start must not wait for that. */
const writeAfterMs = 2000;

/**
 * Lets Node keep compiled code in the user's folder for caches, so that later runs start faster. Has no effect where that
 * folder cannot be written. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` keeps nothing.
 */
export function keepCompiledCode(): void {
  const { env } = process;
  // Node 20 cannot keep compiled code.
  if (module.enableCompileCache === undefined || env.NODE_DISABLE_COMPILE_CACHE) return;
  // With NODE_COMPILE_CACHE, Node keeps compiled code by itself.
  const folder = env.NODE_COMPILE_CACHE ? undefined : ownFolder(env);
  if (folder !== undefined) module.enableCompileCache(folder);
  // Node itself writes at the exit, which a server that is killed does not reach. Early versions of Node 22 can do only that.
  setTimeout(() => module.flushCompileCache?.(), writeAfterMs).unref();
}

/** A folder that only this user can write: compiled code of other users would run as this user. */
function ownFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    const folder = join(cacheFolder(env), "call-transfer-mock");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    // Windows has no user ids, and its folder for caches is the user's.
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}

function cacheFolder({ LOCALAPPDATA: local, XDG_CACHE_HOME: cache }: NodeJS.ProcessEnv): string {
  if (process.platform === "win32" && local) return local;
  return cache && isAbsolute(cache) ? cache : join(homedir(), ".cache");
}
