// Writes the skeleton of an operation: its description, handler, contract case and demo step.
// npm run new:operation -- GET /api/v1/transfers/destinations/{id}
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { newOperation } from "./generate/new-operation.ts";

const usage = `Usage: npm run new:operation -- METHOD PATH [--id ID]

  METHOD   GET, POST, PUT, PATCH or DELETE
  PATH     the path with its ids in braces, such as /api/v1/transfers/destinations/{id}
  --id ID  the operationId; by default made of the method and the path, such as getDestination`;

const root = new URL("../", import.meta.url);

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { id: { type: "string" } } });
  const [method = "", path = ""] = positionals;
  const read = (name: string) => readFileSync(new URL(name, root), "utf8");
  const { operationId, files } = newOperation(read, { method, path, operationId: values.id });
  for (const [name, text] of files) {
    writeFileSync(new URL(name, root), text);
    console.log(`wrote ${operationId} into ${name}`);
  }
  console.log(`
Next:
  npm run record         says what to fill in, then writes everything that follows from the description
  npm run typecheck      checks the handler
  npm run test:contract  runs the case, and names what no case shows
  npx changeset          records the change for customers`);
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
