// The command of TypeScript 7, for checks that run side by side.
import { fileURLToPath } from "node:url";

/**
 * The compiler, with its option for one thread, as arguments of Node. With several threads it checks the same types several
 * times, which takes twice the processor time.
 */
export const tsc = [
  fileURLToPath(new URL("../node_modules/typescript-7/bin/tsc", import.meta.url)),
  "--singleThreaded",
] as const;
