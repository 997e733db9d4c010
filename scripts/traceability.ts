// Writes docs/traceability.md. With --check, writes nothing and fails if it is stale. Fails when a part of the specification
// has no evidence, or when evidence names what does not exist.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cases } from "../packages/contract/src/cases/index.ts";
import { prismLacks } from "../packages/contract/targets/prism.ts";
import { readEvidence, trace } from "./traceability/evidence.ts";
import { pageOf } from "./traceability/page.ts";
import { entriesIn } from "./traceability/parts.ts";

const root = new URL("../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const page = "docs/traceability.md";

const entries = entriesIn(read("docs/specification.md"));
const isFile = (path: string): boolean => existsSync(new URL(path, root));
const rows = readEvidence(read("scripts/traceability/evidence.txt"));
const { traced, problems } = trace(entries, rows, cases, isFile);
const text = pageOf(traced, prismLacks);
for (const problem of problems) console.error(`scripts/traceability/evidence.txt: ${problem}`);
const isCheck = process.argv.includes("--check");
const isStale = isCheck && read(page) !== text;
if (isStale) console.error(`${page} is out of date. Run \`npm run traceability\` and commit it.`);
if (!isCheck) writeFileSync(new URL(page, root), text);
console.log(`${traced.length} parts, ${problems.length} problems`);
if (problems.length > 0 || isStale) process.exitCode = 1;
