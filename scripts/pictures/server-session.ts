// Runs a session with the mock server, over HTTP, and draws its terminal: the log's own lines, on a frozen clock.
import { request } from "node:http";
import { type BackendEvent, demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { banner } from "../../packages/mock-server/src/cli/ready.ts";
import { formatEvent } from "../../packages/mock-server/src/log/format-event.ts";
import { recordName } from "../../packages/mock-server/src/log/server-log.ts";
import { issueCredentials } from "../../packages/mock-server/src/server/credentials.ts";
import { startMockServer } from "../../packages/mock-server/src/server/server.ts";
import { drawTerminal, type Row, visible } from "./terminal.ts";

const [charsPerSec, betweenSecs, pauseSecs, heldSecs] = [28, 0.15, 1.2, 8];
const width = 108;
const shownBannerLines = 3;
/** The durations of a run differ. */
const shownMs = 1.4;

interface Step {
  readonly typed: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly host?: string;
}

const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
const steps: readonly Step[] = [
  { typed: 'curl $URL/api/v1/calls -H "$KEY" -H "$JSON" -d @call.json', path: operations.createCall.path, body: call },
  { typed: 'curl $URL/api/v1/role -H "$KEY"', path: "/api/v1/role" },
  {
    typed: 'curl $URL/api/v1/roles -H "$KEY" -H "Host: my.example"',
    path: operations.listRoles.path,
    host: "my.example",
  },
  {
    typed: `curl $URL/_control/v1/faults -H "$JSON" -d '{"do":{"code":"service_unavailable"}}'`,
    path: "/_control/v1/faults",
    body: { do: { code: "service_unavailable" } },
  },
  { typed: 'curl $URL/api/v1/roles -H "$KEY"', path: operations.listRoles.path },
  {
    typed: `curl $URL/_control/v1/transfers -H "$JSON" -d '{"groupId":"${demo.groups.existing}"}'`,
    path: "/_control/v1/transfers",
    body: { groupId: demo.groups.existing },
  },
  {
    typed: "npx @call-transfer/mock-server clock advance 1m",
    path: "/_control/v1/clock/advance",
    body: { by: 60_000 },
  },
];

/** Sends a request, and resolves when it is answered. */
function send(port: number, { path, body, host }: Step): Promise<void> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${demo.apiKey}`,
    ...(host !== undefined && { Host: host }),
    ...(text !== undefined && { "Content-Type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path, method: text === undefined ? "GET" : "POST", headers }, (incoming) => {
      incoming.resume().once("end", resolve);
    });
    outgoing.once("error", reject).end(text);
  });
}

/** Draws the session. */
export async function drawServerSession(): Promise<string> {
  const rows: Row[] = [];
  let at = 0;
  const type = (command: string) => {
    const typedFor = command.length / charsPerSec;
    rows.push({ at, text: `$ ${command}`, typedFor });
    at += typedFor + pauseSecs / 2;
  };
  const print = (text: string) => {
    rows.push({ at, text });
    at += betweenSecs;
  };
  // The app of the demo data answers the offer.
  let answered = (): void => {};
  const answer = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const server = await startMockServer({
    port: 0,
    clock: "frozen",
    now: "2026-03-02T12:00:00Z",
    fetch: async () => new Response(null, { status: 200 }),
  });
  let lines: string[] = [];
  const show = (sandbox: string, event: BackendEvent) => {
    const nameOf = (id: string) => recordName(server.sandboxes.get(sandbox), id);
    const timed = "durationMs" in event ? { ...event, durationMs: shownMs } : event;
    const line = formatEvent(timed, { colour: true, sandbox, width, nameOf });
    if (line !== undefined) lines.push(line);
    if (event.type === "webhook.delivered") answered();
  };
  try {
    const ready = await issueCredentials(server, 3600);
    type("npx @call-transfer/mock-server &");
    const shown = banner({ ...ready, url: "http://127.0.0.1:4010" }, true).split("\n");
    for (const line of shown.slice(0, shownBannerLines)) print(line);
    print("…");
    at += pauseSecs;
    server.sandboxes.follow(show);
    for (const step of steps) {
      type(step.typed);
      await send(server.port, step);
      if (step.path.endsWith("/transfers")) await answer;
      for (const line of lines) print(line);
      lines = [];
      at += pauseSecs;
    }
  } finally {
    await server.close();
  }
  rows.push({ at, text: "$ " });
  const description = rows.map(({ text }) => visible(text)).join("\n");
  return drawTerminal("A session with the mock server", description, rows, at + heldSecs);
}
