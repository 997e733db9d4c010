// Checks the report of `npm run lab -- mutate` against lab/mutation/survivors.txt, and prints the score of each group.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { complaintsAbout, percentOf, type Report, scoresOf, survivorsOf } from "./survivors.ts";

const help = `Checks the report of \`npm run lab -- mutate\` (reports/stryker.json) against lab/mutation/survivors.txt.

  --list     print the survivors in the form of the list instead
  --partial  leave out the files that the run did not mutate, and the scores`;

const { values } = parseArgs({
  options: { help: { type: "boolean" }, list: { type: "boolean" }, partial: { type: "boolean" } },
});
const report = (): Report =>
  JSON.parse(readFileSync(new URL("../../reports/stryker.json", import.meta.url), "utf8")) as Report;

if (values.help) console.log(help);
else if (values.list) console.log(survivorsOf(report()).toSorted().join("\n"));
else {
  const list = readFileSync(new URL("survivors.txt", import.meta.url), "utf8");
  const complaints = complaintsAbout(report(), list, values.partial);
  for (const score of scoresOf(report())) {
    if (values.partial && score.mutants === 0) continue;
    const { group, mutants, killed, survived } = score;
    console.log(`${group}: ${killed} of ${mutants} killed, ${survived} survived, ${percentOf(score).toFixed(1)} %`);
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}
