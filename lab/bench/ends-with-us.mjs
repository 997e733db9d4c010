// Ends the processes that a part of the benchmark started, also when it fails: what is measured next must not run beside them.
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Ends a process together with this one. Returns it. */
export function endsWithUs(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}
