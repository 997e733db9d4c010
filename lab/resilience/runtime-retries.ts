// Measures how often the fetch of each runtime sends a placement whose connection closes without a response. Prints a table
// and writes docs/runtime-retries.md.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { openRuntimes, type Runtime } from "../../tests/packages/runtimes/runtimes.ts";
import { answerOf, answers, type Behaviour, faults, type Script, startFaultServer } from "./fault-server.ts";
import type { Case, Result } from "./place-calls.ts";

/** Placements per kind and runtime. */
const trials = 5;

interface Kind extends Pick<Case, "body" | "warm"> {
  readonly title: string;
  readonly loss: Behaviour;
  /** Whether the responses to retries are lost too. */
  readonly lasting?: true;
  /** Whether the status means that nothing was executed, so that a retry is harmless. */
  readonly refusal?: true;
}

const { processedThenClosed, processedThenReset } = faults;

const kinds: readonly Kind[] = [
  { title: "reused, closed", body: "text", warm: true, loss: processedThenClosed },
  { title: "reused, reset", body: "text", warm: true, loss: processedThenReset },
  { title: "reused, always closed", body: "text", warm: true, loss: processedThenClosed, lasting: true },
  // Kinds with new connections come before kinds that leave connections open.
  { title: "new, closed", body: "text", warm: false, loss: processedThenClosed },
  { title: "new, closed, stream", body: "stream", warm: false, loss: processedThenClosed },
  { title: "reused, closed, stream", body: "stream", warm: true, loss: processedThenClosed },
  { title: "reused, answered 408", body: "text", warm: true, loss: answers(408, "") },
  { title: "reused, answered 421", body: "text", warm: true, loss: answers(421, ""), refusal: true },
];

/** The placements of one kind. Empty if the runtime refuses to send them. */
interface Cell {
  readonly executions: readonly number[];
  readonly results: readonly string[];
}

interface Row {
  readonly runtime: Runtime;
  readonly cells: readonly Cell[];
}

async function bundle(folder: string): Promise<string> {
  await build({
    config: false,
    entry: { program: fileURLToPath(new URL("./place-calls.ts", import.meta.url)) },
    outDir: folder,
    format: "iife",
    globalName: "program",
    target: "es2022",
    noExternal: [/.*/],
    silent: true,
    tsconfig: fileURLToPath(new URL("../../tsconfig.base.json", import.meta.url)),
    esbuildOptions(options) {
      options.conditions = ["@call-transfer/source"];
    },
  });
  return join(folder, "program.global.js");
}

const lastAnswer: Behaviour = {
  answer: answerOf(201, JSON.stringify({ type: "initiated", callId: "call" }), { connection: "close" }),
  afterwards: "end",
};

/** Loses the first response to each placement, or all of them. */
function lossyScript(kindOf: ReadonlyMap<string, Kind>): Script {
  const lost = new Set<string>();
  return ({ method, target, headers }) => {
    const key = headers["x-request-key"] ?? "";
    const kind = kindOf.get(key);
    if (kind && (kind.lasting || !lost.has(key))) {
      lost.add(key);
      return kind.loss;
    }
    // The connection of the browser's page must be closed before the measurements.
    return method === "POST" || target === "/" ? lastAnswer : answers(200, { roles: [] });
  };
}

async function measure(runtime: Runtime, program: string): Promise<Row> {
  const cases = kinds.map(({ body, warm }, kind) =>
    Array.from({ length: trials }, (_, trial): Case => ({ key: `${kind}/${trial}`, body, warm })),
  );
  const kindOf = new Map(kinds.flatMap((kind, index) => (cases[index] ?? []).map(({ key }) => [key, kind] as const)));
  const server = await startFaultServer(lossyScript(kindOf));
  try {
    const input = `${JSON.stringify(server.url)}, ${JSON.stringify(cases.flat())}`;
    const all = (await runtime.run(program, `program.placeCalls(${input})`, server.url)) as Result[];
    const cells = cases.map((placements) => {
      const keys = placements.filter(({ key }) => server.executionsOf(key) > 0);
      for (const { key, warm } of keys) {
        const first = server.requests.find(({ headers }) => headers["x-request-key"] === key);
        const isReused = (first?.before ?? 0) > 0;
        if (isReused !== warm)
          throw new Error(
            `${runtime.name} sent ${key} over ${isReused ? "a reused" : "a new"} connection. The measurement needs the other kind.`,
          );
      }
      const results = all.filter(({ key }) => keys.some((one) => one.key === key)).map(({ result }) => result);
      return { executions: keys.map(({ key }) => server.executionsOf(key)), results };
    });
    return { runtime, cells };
  } finally {
    await server.close();
  }
}

function textOf({ executions, results }: Cell): string {
  if (executions.length === 0) return "not sent";
  const [least, most] = [Math.min(...executions), Math.max(...executions)];
  const isHidden = most > 1 && results.every((result) => result === "answered");
  return `${least === most ? most : `${least} to ${most}`}${isHidden ? ", unseen" : ""}`;
}

/** Whether every placement of the chosen kinds was executed once. */
const isOnce = ({ cells }: Row, isChosen: (kind: Kind) => boolean): boolean =>
  kinds.every((kind, index) => !isChosen(kind) || cells[index]?.executions.every((count) => count === 1));

/** Whether placements with a text body, which the SDK sends, were executed once. */
const sendsOnce = (row: Row): boolean => isOnce(row, ({ body, refusal }) => body === "text" && !refusal);

const sendsStreamsOnce = (row: Row): boolean =>
  row.cells.every(({ executions }) => executions.length > 0) && isOnce(row, ({ body }) => body === "stream");

const listed = (rows: readonly Row[]): string => rows.map(({ runtime }) => runtime.name).join(", ") || "none";

function pageOf(rows: readonly Row[]): string {
  const head = ["Runtime", ...kinds.map(({ title }) => title)];
  const lines = rows.map(({ runtime, cells }) => [`${runtime.name} (${runtime.version})`, ...cells.map(textOf)]);
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const again = rows.filter((row) => !sendsOnce(row));
  return `# Retries by the runtime

<!-- Written by lab/resilience/runtime-retries.ts. Do not edit: run \`npm run lab -- resilience --runtimes\`. -->

The SDK sends a call placement once. Some runtimes send a POST again, which a client library can neither see nor stop.

These figures count how often one placement reached the server over HTTP/1.1, with ${trials} placements per cell. The server closes or
resets the connection, or answers with a status that invites a retry. It answers the retry normally, except under "always closed".

- **Reused**: an earlier request used the connection.
- **Stream**: the body is a stream, which needs a \`fetch\` of your own. Otherwise it is text, as the SDK sends it.
- **Unseen**: the caller saw a single success.
- **Not sent**: the runtime refuses such a body.

${table}

- Sent once, whatever happens to the connection: ${listed(rows.filter(sendsOnce))}.
- Sent again: ${listed(again)}.
- Of those, sent once if the body is a stream: ${listed(again.filter(sendsStreamsOnce))}.
- After status 421 a retry is harmless: the server did not process the request.
- HTTP/2 was not measured.
`;
}

const workFolder = mkdtempSync(join(tmpdir(), "runtime-retries-"));
try {
  const program = await bundle(workFolder);
  const rows: Row[] = [];
  for (const runtime of await openRuntimes()) {
    const row = await measure(runtime, program);
    rows.push(row);
    console.log(`${runtime.name} ${runtime.version}: ${row.cells.map(textOf).join("; ")}`);
    if (runtime.isPromised && !sendsOnce(row)) {
      console.error(`FAILED: ${runtime.name} retries a placement, although the documentation says that it does not.`);
      process.exitCode = 1;
    }
  }
  const page = pageOf(rows);
  console.log(`\n${page}`);
  // The page must include a browser. Without one it stays as it is.
  if (rows.some(({ runtime }) => runtime.name === "Chromium"))
    writeFileSync(new URL("../../docs/runtime-retries.md", import.meta.url), page);
} finally {
  rmSync(workFolder, { recursive: true, force: true });
}
