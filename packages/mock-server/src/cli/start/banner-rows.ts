import { joinWords } from "../../log/wrap.ts";

/** Columns for labels in the texts that servers print when they are ready. */
const labelWidth = 15;

/** Paints a label or a note. */
type Dim = (text: string) => string;

/** A label with its value. The note is left out if the line is too long. */
export function bannerRow(label: string, value: string, note: string, width: number | undefined, dim: Dim): string {
  const hasRoom = width === undefined || labelWidth + 1 + value.length + 2 + note.length <= width;
  return `${dim(label.padEnd(labelWidth))} ${value}${note !== "" && hasRoom ? `  ${dim(note)}` : ""}`;
}

/** A label with a command to paste. Below it, and broken at its options as a shell allows, if the line is too long. */
export function commandRow(label: string, command: string, width: number | undefined, dim: Dim): string {
  if (width === undefined || labelWidth + 1 + command.length <= width) return bannerRow(label, command, "", width, dim);
  return [dim(label), ...brokenCommand(command, width)].join("\n");
}

/** The lines of a command. The shells of Windows would run each on its own. */
function brokenCommand(command: string, width: number): string[] {
  if (command.length + 2 <= width || process.platform === "win32") return [`  ${command}`];
  const [first = "", ...options] = command.split(/ (?=(?:-H|-d|--url|--token) )/);
  // A line break between the fields of JSON changes nothing.
  const lines = options.map((option) => joinWords(option.split(/(?<=,)(?=")/), width - 8).join("\n       "));
  return [`  ${first}`, ...lines.map((line) => `    ${line}`)].join(" \\\n").split("\n");
}
