import { type ApiError, RequestError } from "@call-transfer/sdk";
import { formatWithOptions, inspect } from "node-inspect-extracted";
import { type FromWorker, type Level, runtimeName } from "../messages.ts";

/** The number of times that a program may print, so that an endless loop does not fill the page's memory. */
const mostPrints = 2000;
const longestText = 100_000;

/** The functions of `console` that print. They print what Node prints, but `table` prints as `log` does, and `trace` without a stack. */
export function createConsole(post: (message: FromWorker) => void): Partial<Console> {
  let prints = 0;
  const put = (level: Level, text: string) => {
    prints += 1;
    if (prints <= mostPrints) post({ type: "print", level, text: shortened(text) });
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
  return {
    log,
    info: log,
    debug: log,
    dir: (value, options?: object) => put("log", inspect(value, { colors: true, customInspect: false, ...options })),
    table: (value) => log(value),
    warn: printing("warn"),
    error: printing("error"),
    trace: printing("error"),
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
