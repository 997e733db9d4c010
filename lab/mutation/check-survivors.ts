// Checks the report of `npm run lab -- mutate` against lab/mutation/survivors.txt, and prints the score of each group.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { complaintsAbout, percentOf, type Report, scoresOf, survivorsOf } from "./survivors.ts";

const help = `Checks the report of \`npm run lab -- mutate\` (reports/stryker.json) against lab/mutation/survivors.txt.

  --list  print the survivors in the form of the list instead`;

const { values } = parseArgs({ options: { help: { type: "boolean" }, list: { type: "boolean" } } });
const report = (): Report =>
  JSON.parse(readFileSync(new URL("../../reports/stryker.json", import.meta.url), "utf8")) as Report;

if (values.help) console.log(help);
else if (values.list) console.log(survivorsOf(report()).toSorted().join("\n"));
else {
  const complaints = complaintsAbout(report(), readFileSync(new URL("survivors.txt", import.meta.url), "utf8"));
  for (const score of scoresOf(report())) {
    const { group, mutants, killed, survived } = score;
    console.log(`${group}: ${killed} of ${mutants} killed, ${survived} survived, ${percentOf(score).toFixed(1)} %`);
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}
