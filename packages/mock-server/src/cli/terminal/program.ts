/** The shell command of this program: npm in its repository, npx elsewhere, which works with and without an install. */
export const program = import.meta.url.endsWith(".ts") ? "npm -s start --" : "npx @call-transfer/mock-server";

/** Joins the words of a command in a message until it is printed. */
const joint = "\u00A0";

/** A command in a message: the message is never broken inside of it, so that it can be copied. */
export const asOneWord = (command: string): string => command.replaceAll(" ", joint);

/** A message as it is printed, with spaces in its commands. */
export const asPrinted = (message: string): string => message.replaceAll(joint, " ");

/** A command line of this program for a message. */
export const commandLine = (words: string): string => asOneWord(`${program} ${words}`);

/** The options of a command line that lead to a server. A setting of the environment is none of them. */
export interface Connection {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
  readonly sandbox?: string | undefined;
  readonly token?: string | undefined;
}

/** Writes a command line to try, for a message. */
export type Hint = (command: string) => string;

/** Writes command lines for the server that a command line led to, with the same options. */
export const hintFor =
  ({ config, url, sandbox, token }: Connection): Hint =>
  (command) =>
    commandLine([command, ...optionsOf({ config, url, sandbox, token })].join(" "));

/** A command line that starts the server that a command line led to and that does not run. */
export function startHint({ config, url }: Connection): string {
  const { protocol, hostname, port } = new URL(url ?? "http://127.0.0.1:4010");
  const isHere = protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  const own = isHere && port !== "4010" ? port || "80" : undefined;
  return asOneWord([program, ...optionsOf({ config, port: own })].join(" "));
}

const optionsOf = (given: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${quoted(value)}`]));

/** The text as one word of a shell. */
const quoted = (text: string): string => (/^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
