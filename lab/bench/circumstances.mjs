import { availableParallelism } from "node:os";

/** When and where a run happens, for the first sentence of its results. */
export function circumstances() {
  return `on ${new Date().toISOString().slice(0, 10)}, on a machine with ${availableParallelism()} processors`;
}
