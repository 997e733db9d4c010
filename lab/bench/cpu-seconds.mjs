import { readdirSync, readFileSync } from "node:fs";

/** Seconds of processor time that a process has used, all its threads together. */
export function cpuSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}
