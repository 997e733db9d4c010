// How often a placement reaches the server when its connection closes unanswered, runtime by runtime: what the runtime's
// own fetch does below the SDK. Prints a table and writes docs/below-us.md.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { answerOf, answers, type Behaviour, faults, type Script, startFaultServer } from "./fault-server.ts";
import type { Case } from "./place-calls.ts";
import { openRuntimes, type Runtime } from "./runtimes.ts";

/** Placements of each kind and runtime. */
const trials = 5;

interface Kind extends Pick<Case, "body" | "warm"> {
  readonly title: string;
  readonly loss: Behaviour;
  /** Whether what is sent again is lost too. */
  readonly lasting?: true;
}

const kinds: readonly Kind[] = [
  { title: "Reused, closed", body: "text", warm: true, loss: faults.processedThenClosed },
  { title: "Reused, reset", body: "text", warm: true, loss: faults.processedThenReset },
  { title: "Every one closed", body: "text", warm: true, loss: faults.processedThenClosed, lasting: true },
  { title: "New, closed", body: "text", warm: false, loss: faults.processedThenClosed },
  { title: "Reused, closed, body a stream", body: "stream", warm: true, loss: faults.processedThenClosed },
];

/** What came of the placements of one kind; empty where the runtime refuses to send them. */
interface Cell {
  readonly executions: readonly number[];
  readonly endings: readonly string[];
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

/** Loses a placement's first answer, or all of them. */
function lossyScript(kindOf: ReadonlyMap<string, Kind>): Script {
  const lost = new Set<string>();
  return ({ method, target, headers }) => {
    const key = headers["x-request-key"] ?? "";
    const kind = kindOf.get(key);
    if (kind && (kind.lasting || !lost.has(key))) {
      lost.add(key);
      return kind.loss;
    }
    // A browser asks for a page to stand on, whose connection must not linger into a measurement.
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
    const seen = await runtime.run(program, server.url, cases.flat());
    const cells = cases.map((placements) => {
      const keys = placements.filter(({ key }) => server.executionsOf(key) > 0);
      for (const { key, warm } of keys) {
        const first = server.requests.find(({ headers }) => headers["x-request-key"] === key);
        const isReused = (first?.before ?? 0) > 0;
        if (isReused !== warm) throw new Error(`${runtime.name} sent ${key} over a connection that was not meant`);
      }
      const endings = seen.filter(({ key }) => keys.some((one) => one.key === key)).map(({ ending }) => ending);
      return { executions: keys.map(({ key }) => server.executionsOf(key)), endings };
    });
    return { runtime, cells };
  } finally {
    await server.close();
  }
}

function wordsFor({ executions, endings }: Cell): string {
  if (executions.length === 0) return "refuses to send it";
  const [least, most] = [Math.min(...executions), Math.max(...executions)];
  const seen = endings.every((ending) => ending === "answered") ? "a success" : [...new Set(endings)].join(", ");
  const often = most === 1 ? "once" : least === most ? `${most} times` : `${least} to ${most} times`;
  return `${often}: ${seen}`;
}

/** Whether no placement whose body is text, as the SDK sends it, was carried out twice. */
const sendsOnce = ({ cells }: Row): boolean =>
  cells.every(({ executions }, kind) => kinds[kind]?.body !== "text" || executions.every((count) => count === 1));

const listed = (rows: readonly Row[]): string => rows.map(({ runtime }) => runtime.name).join(", ");

function pageOf(rows: readonly Row[]): string {
  const head = ["Runtime", ...kinds.map(({ title }) => title)];
  const lines = rows.map(({ runtime, cells }) => [`${runtime.name} (${runtime.version})`, ...cells.map(wordsFor)]);
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `# Below the SDK: what runtimes send again by themselves

<!-- Written by scripts/resilience/below-us.ts: run \`npm run check:resilience -- --runtimes\` rather than editing. -->

The SDK sends a call placement once. Some runtimes send a POST again on their own, below anything that a client library can
see or stop, when a connection that was used before closes without an answer. Here a server carries a placement out and then
takes the connection away over HTTP/1.1; ${trials} placements a cell. Each cell says how often one placement was carried out,
and what the caller was told.

${table}

- Carried out once: ${listed(rows.filter(sendsOnce))}.
- Sent again: ${listed(rows.filter((row) => !sendsOnce(row)))}. The caller is not told: the second answer looks like the only one.

A body that is a stream cannot be sent again. Where a runtime sends text again and takes a stream, give the SDK a \`fetch\`
that turns one into the other, as [resilience.md](resilience.md#where-to-place-calls-from) shows.

HTTP/2 was not measured.
`;
}

const workFolder = mkdtempSync(join(tmpdir(), "below-us-"));
try {
  const program = await bundle(workFolder);
  const rows: Row[] = [];
  for (const runtime of openRuntimes()) {
    const row = await measure(runtime, program);
    rows.push(row);
    console.log(`${runtime.name} ${runtime.version}: ${row.cells.map(wordsFor).join("; ")}`);
    if (runtime.isPromised && !sendsOnce(row)) {
      console.error(
        `FAILED: ${runtime.name} sends a placement again, though the documentation promises that it does not`,
      );
      process.exitCode = 1;
    }
  }
  const page = pageOf(rows);
  console.log(`\n${page}`);
  writeFileSync(new URL("../../docs/below-us.md", import.meta.url), page);
} finally {
  rmSync(workFolder, { recursive: true, force: true });
}
