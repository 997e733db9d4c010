import module from "node:module";

/** How long a server runs until its compiled code is written, in milliseconds. Its start must not wait for that. */
const writeAfterMs = 2000;

/**
 * Lets Node keep compiled code among the system's temporary files, so that later runs start faster. Has no effect where Node
 * cannot write, or with `NODE_DISABLE_COMPILE_CACHE=1`.
 */
export function keepCompiledCode(): void {
  // Node 20 has neither function, and early versions of 22 only the first.
  module.enableCompileCache?.();
  // Node itself writes at the exit, which a server that is killed does not reach.
  setTimeout(() => module.flushCompileCache?.(), writeAfterMs).unref();
}
