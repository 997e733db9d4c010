import type { Command } from "../options/command.ts";
import { program } from "../terminal/program.ts";

const start = `Usage: ${program} [start] [options]

Starts a mock server of the call-transfer API and prints credentials to use with it.
Ctrl-C stops it.

  --config FILE            read settings from this JSON file (default: call-transfer-mock.json in
                           the working folder, if it exists). See help settings
  --port N                 port to listen on (default 4010); 0 picks a free one
  --host ADDRESS           address to bind (default 127.0.0.1). If other machines can reach it, the
                           control plane requires the control token that the server prints
  --public-url URL         address at which clients reach the server, if it is another one: behind a
                           proxy or in a container. It is printed, and its host name is accepted
  --allow-host NAME        also accept requests for this host name; *.mock.test accepts all names
                           below mock.test. If other machines can reach the server, it accepts IP
                           addresses and names of private networks, e.g. host.docker.internal;
                           repeatable
  --cors ORIGIN            let pages of this origin use the API, e.g. http://localhost:5173;
                           repeatable
  --control-token TOKEN    token that the control plane requires, at least 16 characters (default:
                           a random one if other machines can reach the server, else none). Better
                           set CALL_TRANSFER_CONTROL_TOKEN, because other users of the machine can
                           see a command line
  --tls-cert FILE          certificate for https, in PEM form, with those that lead to its root
  --tls-key FILE           private key of the certificate, in PEM form and without a password
  --seed demo|FILE|JSON    initial data (default demo). The schema of the JSON file is
                           @call-transfer/mock-server/seed.schema.json
  --import FILE            restore a snapshot at the start, including its clock; the file may not
                           exist yet
  --export-on-exit FILE    write a snapshot of the default sandbox at shutdown
  --data FILE              keep all sandboxes in this SQLite file, so that they survive the process,
                           also when it is killed. It is created if it does not exist, and used by
                           one server at a time. Requires Node 22.13 or newer
  --clock flowing|frozen   whether time passes by itself (default flowing)
  --clock-rate N           how many seconds pass in one second of real time: above 0, up to
                           10000 (default 1)
  --now TIME               initial time, an RFC 3339 date-time (default: the real time, or
                           2026-03-02T12:00:00Z for a frozen clock)
  --prng N                 seed of the ids that are created after the start, an integer (default: a
                           random one, which the server prints; 1 with --clock frozen)
  --policy NAME=VALUE      change a policy, e.g. concurrentCallLimit=2, or recipientTimeZone=UTC
                           to apply the callable hours to every call; repeatable
  --token-lifetime TIME    lifetime of the access tokens on the server's clock: 30m, 24h, …
                           (default 365d)
  --fault FAULT            inject a fault, such as "createCall 503, 503, pass" or "* 503 10%", or
                           those of a JSON file, or JSON itself; repeatable
  --scenario NAME          start in a situation to test, such as flaky-503 or everyone-away; an
                           unknown name lists them all; repeatable
  --latency MS             delay every API response by MS milliseconds of the server's clock. Under
                           a frozen clock, responses wait until the clock is advanced
  --forward-webhooks URL   deliver all webhooks to this URL instead of the destinations' own URLs
  --auto-sandboxes         create a sandbox when a request first names it
  --max-sandboxes N        maximum number of sandboxes, including default (default 1000)
  --sandbox-idle DURATION  remove a sandbox after this much real time without a request, e.g. 30m
                           (default: never). The default sandbox is never removed
  --log pretty|json|silent a line for each request, webhook, fault, timer and refusal (default
                           pretty, with --json silent). json prints one JSON object a line
  --json                   print address and credentials as one line of JSON
  --ready-file FILE        write that JSON, including the process id, to a file when the server is
                           ready. An old file is removed at the start, the new one at shutdown
  --write-env FILE         set address and credentials as variables in a .env file:
                           CALL_TRANSFER_BASE_URL, …_API_KEY, …_ACCOUNT_ID, …_SIGNING_SECRET,
                           …_TOKEN_OWNER and so on. Other lines stay unchanged, and the file is
                           kept at shutdown
  --engine ENGINE          stateful behaves like the platform (default). prism is stateless and
                           returns examples from the OpenAPI document. It requires
                           @stoplight/prism-cli and supports only --port, --host, --cors (which
                           then allows every origin), --json and --ready-file. proxy forwards each
                           request once to a real API and checks both sides against the contract;
                           its journal shows what deviates. It keeps no data, so options for data
                           do not work
  --target URL             the API that --engine proxy forwards to, without /api/v1
  --record FILE            write what --engine proxy sees to a file for --seed, with invented values
                           in place of secrets, names, phone numbers and URLs
  --strict                 let --engine proxy refuse requests that deviate, instead of forwarding
                           them`;

const settings = `Usage: ${program} [start] with settings from the environment or a file

An option that is not given is read from the environment, then from the config file.

  Environment              --max-sandboxes is CALL_TRANSFER_MOCK_MAX_SANDBOXES. The items of a
                           list are separated by commas, faults by semicolons. An option without
                           a value is true or false. The control token is
                           CALL_TRANSFER_CONTROL_TOKEN
  Config file              call-transfer-mock.json in the working folder, or the file of --config or
                           CALL_TRANSFER_MOCK_CONFIG. --max-sandboxes is "maxSandboxes", lists are
                           arrays, policies an object; faults and the seed can be given inline.
                           Paths start at the folder of the file. Its schema is
                           @call-transfer/mock-server/config.schema.json

Commands for a running server read --url, --sandbox and --token in the same way. Without a URL, they
take port and host of the settings.`;

const server = `  --config FILE            config file to read the following options from; see help settings
  --url URL                address of the server (default http://127.0.0.1:4010)
  --sandbox NAME           sandbox to use (default: default)
  --token TOKEN            control token, if the server printed one. Better set
                           CALL_TRANSFER_CONTROL_TOKEN
  --json                   print the result as one line of JSON`;

const attack = `Usage: ${program} attack URL… [options]

Attacks a webhook receiver of yours with genuine, forged, repeated and broken deliveries, and reports
what it does wrong. Several URLs are processes of one receiver. It needs no running mock server.

  --secret SECRET          signing secret. Better set CALL_TRANSFER_SIGNING_SECRET, because other users
                           of the machine can see a command line
  --previous-secret SECRET secret before the rotation, if the receiver accepts it too; or set
                           CALL_TRANSFER_PREVIOUS_SIGNING_SECRET
  --handled-url URL        URL that returns how often the app handled each event, as JSON:
                           { "<event id>": 1 }. Without it, the attack sees only answers
  --payload FILE           JSON file with fields to send in each event, such as a destinationId that
                           the receiver recognizes
  --tolerance DURATION     how far a signature's time may differ from now (default 300s)
  --timeout DURATION       how long an answer may take (default 10s)
  --prng N                 seed of the event ids (default: random)
  --allow-remote           attack a receiver on another machine
  --json                   print the report as one line of JSON

Exit status: 0 without findings, 1 with findings or if nothing answers, 2 for a wrong command line.`;

const overview = (commands: readonly Command[]): string => `Usage: ${program} [start] [options]
       ${program} COMMAND [options]

Serves a mock of the call-transfer API that behaves like the platform: it keeps state, validates
every request, sends signed webhooks and plays the platform's side of transfers.

Examples:
  ${program}                      start on http://127.0.0.1:4010 with demo data
  ${program} --seed my.json       start with your own data
  ${program} clock advance 24h    advance the clock of a running server

Options of start:
${start.slice(start.indexOf("  --config"))}

Command for your webhook receiver:
  attack URL…              attack the receiver and report what it does wrong; see help attack

Commands for a running server; help COMMAND explains one:
${commands.map(({ name, summary }) => entry(name, summary)).join("\n")}

Options of these commands:
${server}

Other:
  help [COMMAND], --help   print this text, or the help of one command
  help settings            explain environment variables and the config file
  --version                print the version

Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.`;

/** The help of one command, or all of it without a topic; undefined for an unknown topic. */
export function helpText(topic: string | undefined, commands: readonly Command[]): string | undefined {
  if (topic === undefined || topic === "help") return overview(commands);
  if (topic === "start") return start;
  if (topic === "attack") return attack;
  if (topic === "settings") return settings;
  const command = commands.find(({ name }) => name === topic);
  return command && commandHelp(command);
}

function commandHelp({ name, summary, usages, options, example }: Command): string {
  return [
    `Usage: ${program} ${name} … [options]`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    [
      ...usages.map(({ form, help }) => entry(form, help)),
      ...Object.entries(options).map(([option, { value, help = "", fallback }]) =>
        entry(
          `  --${option}${value === undefined ? "" : ` ${value}`}`,
          `${help}${fallback === undefined ? "" : ` (default ${fallback})`}`,
        ),
      ),
    ].join("\n"),
    ...(example === undefined ? [] : [`Example:\n  ${program} ${example}`]),
    `Options of all commands for a running server:\n${server}`,
  ].join("\n\n");
}

const column = 27;
const lineLength = 100;

/** A term in the left column and its explanation in lines beside it; below it if the term is long. */
function entry(term: string, explanation: string): string {
  const lines: string[] = [];
  for (const word of explanation.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && column + last.length + 1 + word.length <= lineLength)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const start = `  ${term}`;
  const [first = "", ...rest] = start.length + 2 <= column ? lines : ["", ...lines];
  return [`${start.padEnd(first === "" ? 0 : column)}${first}`, ...rest.map((line) => " ".repeat(column) + line)].join(
    "\n",
  );
}
