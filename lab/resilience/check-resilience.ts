// Measures the figures behind docs/resilience.md. `--runtimes` also measures which runtimes retry on their own, and writes
// docs/runtime-retries.md.
import type { Figure } from "./figure.ts";
import { knownFailures } from "./known-failures.ts";
import { budget, oneSignal, retryAfter } from "./retry-figures.ts";
import { abortedBackoff, errorConnections, lostAnswer, stalls } from "./socket-figures.ts";
import { webhookHeaders } from "./webhook-figures.ts";

// oneSignal comes first: garbage of the others would change its result.
const figures: Figure[] = [
  oneSignal,
  lostAnswer,
  stalls,
  abortedBackoff,
  errorConnections,
  retryAfter,
  budget,
  webhookHeaders,
  knownFailures,
];

for (const { name, target, measure } of figures) {
  const { figure, ok } = await measure();
  if (!ok) process.exitCode = 1;
  console.log(`${ok ? "ok    " : "FAILED"} ${name}: ${figure} (target: ${target})`);
}

if (process.argv.includes("--runtimes")) await import("./runtime-retries.ts");
