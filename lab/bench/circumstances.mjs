import { availableParallelism, loadavg } from "node:os";

/** Of the minute before the run. */
const load = loadavg()[0]?.toFixed(1);

/** When and where a run happens, for the first sentence of its results. */
export function circumstances() {
  return `on ${new Date().toISOString().slice(0, 10)}, on a machine with ${availableParallelism()} processors and a load of ${load}`;
}
