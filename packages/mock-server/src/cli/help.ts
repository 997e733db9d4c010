import { program } from "./program.ts";

const start = `Usage: call-transfer-mock [start] [options]

Serves a mock of the call-transfer API until Ctrl-C, and prints credentials ready to paste.

  --port N                 port to listen on, 0 for a free one (default 4010)
  --host ADDRESS           address to bind (default 127.0.0.1); on any other, other machines can
                           reach the server, and the control plane wants the token it prints
  --allow-host NAME        accept requests under this host name too; may be repeated
  --cors ORIGIN            let pages of this origin use the API, e.g. http://localhost:5173;
                           may be repeated
  --seed demo|FILE         data to begin with (default demo); a JSON file as described by
                           @call-transfer/mock-server/seed.schema.json
  --import FILE            go on from a snapshot, its clock included; a file that does not
                           exist yet is no mistake
  --export-on-exit FILE    write a snapshot of the sandbox default when the server ends
  --clock flowing|frozen   whether time passes by itself (default flowing)
  --now TIME               RFC 3339 date-time at which the clock starts (default: the real time;
                           2026-03-02T12:00:00Z for a frozen clock)
  --prng N                 seed of the random generator, an integer (default 1)
  --policy NAME=VALUE      change a policy, e.g. concurrentCallLimit=2, or recipientTimeZone=UTC
                           to hold every call to the callable hours; may be repeated
  --token-lifetime TIME    how long the access tokens are good on the server's clock: 30m, 24h, …
                           (default 365d)
  --fault FILE             make requests fail as a JSON file says: a fault or a list of faults
  --latency MS             delay every answer of the API, in milliseconds of the server's clock:
                           while that is frozen, until it is moved
  --forward-webhooks URL   deliver every webhook there, whatever address its destination has
  --auto-sandboxes         create a sandbox when a request first names it
  --max-sandboxes N        how many sandboxes there may be, default included (default 1000)
  --sandbox-idle DURATION  remove a sandbox that answered no request for so long, such as 30m, in
                           real time (default: never); the sandbox default stays
  --json                   print one line of JSON with address and credentials when ready
  --ready-file FILE        write that JSON, with the server's pid, to a file when ready; removes
                           an earlier file at the start, and this one in the end
  --write-env FILE         set address and credentials as variables in a .env file when ready:
                           CALL_TRANSFER_BASE_URL, …_API_KEY, …_ACCOUNT_ID, …_SIGNING_SECRET,
                           …_TOKEN_OWNER and so on; its other lines stay, and it stays in the end
  --engine stateful|prism  what answers (default stateful); prism keeps no state and answers with
                           the examples of the API's document; it wants @stoplight/prism-cli to
                           be installed, and of the other options takes --port, --host, --cors
                           (which then lets every origin in), --json and --ready-file`;

const server = `  --url URL                the server's address (default http://127.0.0.1:4010)
  --sandbox NAME           the sandbox to act on (default: default)
  --token TOKEN            the control plane's token, where the server printed one
  --json                   print the answer as one line of JSON`;

const trigger = `  trigger transfer.offer   send a signed offer to an app destination and show the answer; fails
                           when the app's server does not take it
    --destination ID       the app destination (default: the first one)`;
const clock = `  clock                    show the time, and what it will bring
  clock advance STEP       move time: 500ms, 30s, 15m, 24h, 7d, an RFC 3339 date-time, or next
                           for the next timer; shows what happened on the way`;
const token = `  token [ROLE]             print a new access token of the role (default owner), and it alone
    --user ID              for this user instead, or as well
    --account ID           the account in which to look for the role (default: the first one)
    --lifetime TIME        how long it is good on the sandbox's clock: 15m, 24h, … (default 365d)`;
const reset = "  reset                    back to the seed and the options of the start";
const snapshot = "  snapshot [FILE]          write everything the sandbox knows to a file, or print it";
const restore = "  restore FILE             make the sandbox what a snapshot says";
const routes = "  routes                   list the operations of the API and of the control plane";
const commands = { trigger, clock, token, reset, snapshot, restore, routes };

const overview = `Usage: call-transfer-mock [start] [options]
       call-transfer-mock COMMAND [options]

Serves a mock of the call-transfer API that behaves like the platform: it keeps state, checks
every request, and plays the platform's side of webhooks and transfers.

  ${program}                      start on http://127.0.0.1:4010 with demo data
  ${program} --seed my.json       start with your own data
  ${program} clock advance 24h    move a running server's time

Start:
${start.slice(start.indexOf("  --port"))}

Commands that talk to a running server:
${Object.values(commands).join("\n")}

${server}

  help [COMMAND], --help   show this text, or a command's own
  --version                show the version

Exit status: 0 when all went well, 1 when something failed, 2 when the command was misused.`;

/** What a topic's help says, and without a topic all of it; undefined for an unknown topic. */
export function helpOn(topic: string | undefined): string | undefined {
  if (topic === undefined || topic === "help") return overview;
  if (topic === "start") return start;
  const [, lines] = Object.entries(commands).find(([name]) => name === topic) ?? [];
  return lines && `Usage: call-transfer-mock ${topic} … [options], while a mock server runs\n\n${lines}\n\n${server}`;
}
