import { type ApiError, RequestError } from "@call-transfer/sdk";
import { formatWithOptions, inspect } from "node-inspect-extracted";
import { type FromWorker, type Level, runtimeName } from "../messages.ts";

/** The number of times that a program may print, so that an endless loop does not fill the page's memory. */
const mostPrints = 2000;
const longestText = 100_000;

/**
 * The functions of `console`. They print what Node prints, with two exceptions: `table` prints its value as `log` does, and
 * `trace` prints no stack.
 */
export function createConsole(post: (message: FromWorker) => void): Partial<Console> {
  let prints = 0;
  let indentation = "";
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();
  const put = (level: Level, text: string) => {
    prints += 1;
    if (prints <= mostPrints) post({ type: "print", level, text: shortened(indented(text, indentation)) });
    if (prints === mostPrints + 1)
      post({
        type: "print",
        level: "warn",
        text: `The program has printed more than ${mostPrints} times. The rest is not shown.`,
      });
  };
  const printing =
    (level: Level) =>
    (...values: unknown[]) =>
      put(level, format(values));
  const log = printing("log");
  const printTime = (label: string, ...values: unknown[]) => {
    const started = timers.get(label);
    if (started === undefined) return put("warn", `Warning: No such label '${label}'`);
    log(`${label}: ${(performance.now() - started).toFixed(3)}ms`, ...values);
  };
  return {
    log,
    info: log,
    debug: log,
    dir: (value, options?: object) => put("log", inspect(value, { colors: true, customInspect: false, ...options })),
    table: (value) => log(value),
    warn: printing("warn"),
    error: printing("error"),
    trace: printing("error"),
    assert(holds, ...values) {
      if (!holds) put("error", ["Assertion failed", ...(values.length > 0 ? [format(values)] : [])].join(": "));
    },
    count(label = "default") {
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      log(`${label}: ${count}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void timers.set(label, performance.now()),
    timeLog: (label = "default", ...values) => printTime(label, ...values),
    timeEnd(label = "default") {
      printTime(label);
      timers.delete(label);
    },
    group(...values) {
      if (values.length > 0) log(...values);
      indentation += "  ";
    },
    groupEnd() {
      indentation = indentation.slice(2);
    },
  };
}

/** An error with its properties. Those of a failed request are the ones that say what to do. */
export function formatError(error: unknown): string {
  const options = { colors: true, depth: 3 };
  if (!(error instanceof RequestError)) return shortened(ownFrames(inspect(error, options)));
  const { code, status, outcome, errors, meta, attempts } = error as ApiError;
  const shown = Object.entries({ code, status, outcome, errors, meta, attempts }).filter(
    ([, value]) => value !== undefined,
  );
  return shortened(`${error.name}: ${error.message} ${inspect(Object.fromEntries(shown), options)}`);
}

const format = (values: readonly unknown[]) => ownFrames(formatWithOptions({ colors: true }, ...values));

const indented = (text: string, indentation: string) => text.replace(/^/gm, indentation);

const shortened = (text: string) =>
  text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length - longestText} characters more)`;

const frame = new RegExp(
  String.raw`\n *at (?!program\.ts:).*(?:${runtimeName}|<anonymous>|data:text)[^\n]*?(?=$| \{$)`,
  "gm",
);

/** A text without the lines of stack traces that lead into this worker's own code. */
function ownFrames(text: string): string {
  return text.replace(/^ *at .*?(program\.ts:\d+)(?::\d+)?\)?/gm, "    at $1").replace(frame, "");
}
