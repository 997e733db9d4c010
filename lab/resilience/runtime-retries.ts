// Measures how often the fetch of each runtime sends a placement whose connection closes without a response: npm run lab -- runtimes.
// Prints the rows of docs/runtime-retries.md, and fails if a runtime sends it again that must not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { openRuntimes, type Runtime } from "../../tests/runtimes/runtimes.ts";
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

/** Whether placements with a text body, which the SDK sends, were executed once. */
const sendsOnce = ({ cells }: Row): boolean =>
  kinds.every(
    ({ body, refusal }, index) => body !== "text" || refusal || cells[index]?.executions.every((count) => count === 1),
  );

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
  // The rows of docs/runtime-retries.md.
  for (const { runtime, cells } of rows)
    console.log(`| ${[`${runtime.name} (${runtime.version})`, ...cells.map(textOf)].join(" | ")} |`);
} finally {
  rmSync(workFolder, { recursive: true, force: true });
}
