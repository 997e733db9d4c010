// Draws what the terminal of examples/group-ringing.ts shows. The clock is virtual, so every run draws the same picture.
import { readFileSync } from "node:fs";
import { outputOf } from "./example-output.ts";
import { ringsOf } from "./example-timelines.ts";
import { drawTerminal, type Row } from "./terminal.ts";
import { timelineSvg } from "./timeline.ts";

const example = "examples/group-ringing.ts";
const shownLines = 8;

const [charsPerSec, betweenSecs, pauseSecs, heldSecs] = [28, 0.2, 0.6, 7];
/** A second of the program's clock takes half a second in the picture. */
const secsPerSec = 0.5;

const code = /(?<red>\b(?:const|await)\b)|(?<blue>"[^"]*"|\b\d[\d_]*\b)|(?<yellow>\b\w+(?=\())/g;
const output =
  /(?<dim>^\d\d:\d\d|taken)|(?<yellow>\bringing\b(?!\.))|(?<blue>webhook|verified)|(?<red>declined)|(?<green>answered|connected)/g;

/** Draws the run of the example. */
export async function drawGroupRinging(): Promise<string> {
  const source = readFileSync(new URL(`../../${example}`, import.meta.url), "utf8");
  const rows: Row[] = [];
  let at = 0;
  const type = (command: string) => {
    const typedFor = command.length / charsPerSec;
    rows.push({ at, text: `$ ${command}`, typedFor });
    at += typedFor + pauseSecs;
  };
  const lines = await outputOf(example);
  type(`tail -${shownLines} ${example}`);
  for (const text of source.trimEnd().split("\n").slice(-shownLines)) rows.push({ at, text, colours: code });
  at += pauseSecs;
  type(`npm run -s example ${example}`);
  const start = at;
  for (const text of lines) {
    const [, minutes, seconds] = /^(\d\d):(\d\d) /.exec(text) ?? [];
    at = Math.max(at + betweenSecs, start + (Number(minutes) * 60 + Number(seconds)) * secsPerSec);
    rows.push({ at, text, colours: output });
  }
  const end = at + pauseSecs;
  rows.push({ at: end, text: "$ " });
  return drawTerminal("A call rings three members of a group", lines.join("\n"), rows, end + heldSecs);
}

/** Draws who rings in the run of the example, on lines of time. */
export const drawRings = async (): Promise<string> =>
  timelineSvg("A call rings three members of a group", ringsOf(await outputOf(example)));
