// Draws what a terminal showed as an animated SVG. It has no script, and stands still for those who prefer reduced motion.

import { inspect } from "node:util";

/** A row of the terminal. A command is typed and the rows after it are printed. */
export interface Row {
  /** Seconds after the start. A typed row begins then. */
  readonly at: number;
  /** May hold the colours of a terminal, as escape sequences. */
  readonly text: string;
  /** Seconds that typing takes; a row without it appears at once. */
  readonly typedFor?: number;
  /** Colours the parts that a pattern matches, each by the name of its group. */
  readonly colours?: RegExp;
}

const [columnWidth, rowHeight, left, top] = [8.4, 21, 22, 62];
const prompt = "$ ";

const style = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3}
.dim{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#56d364}.blue{fill:#79c0ff}.yellow{fill:#e3b341}.cyan{fill:#76e3ea}.magenta{fill:#d2a8ff}.bold{font-weight:bold}`;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
/** SVG drops leading spaces and joins others; no-break spaces stay. */
const spaced = (text: string) => text.replace(/^ +| {2,}/g, (spaces) => "\u00a0".repeat(spaces.length));
const escapeSequence = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, "g");
/** A text without the colours of a terminal. */
export const visible = (text: string) => text.replace(escapeSequence, "").trimEnd();
const short = (value: number) => String(Number(value.toFixed(2)));

function coloured(text: string, colours = /(?<dim>^\$)/g): string {
  let [end, drawn] = [0, ""];
  for (const { index, 0: part, groups = {} } of text.matchAll(colours)) {
    const [colour] = Object.keys(groups).filter((name) => groups[name] !== undefined);
    drawn += `${escaped(text.slice(end, index))}<tspan class="${colour}">${escaped(part)}</tspan>`;
    end = index + part.length;
  }
  return drawn + escaped(text.slice(end));
}

const classes = new Map(
  ["dim", "red", "green", "blue", "yellow", "cyan", "magenta", "bold"].map((name) => [inspect.colors[name]?.[0], name]),
);

/** Draws the colours that a text brings itself. */
function withOwnColours(text: string): string {
  const [first = "", ...parts] = text.split(escapeSequence);
  let drawn = escaped(first);
  for (let index = 0; index < parts.length; index += 2) {
    const [name, part] = [classes.get(Number(parts[index])), escaped(parts[index + 1] ?? "")];
    drawn += name === undefined || part === "" ? part : `<tspan class="${name}">${part}</tspan>`;
  }
  return drawn;
}

/** Draws rows as one picture that repeats every `secs` seconds. Its last row is an empty prompt. */
export function drawTerminal(title: string, description: string, rows: readonly Row[], secs: number): string {
  const columns = Math.max(...rows.map(({ text }) => visible(text).length));
  const [width, height] = [Math.ceil(columns * columnWidth + 2 * left), top + rows.length * rowHeight + 4];
  const percent = (at: number) => `${short((at / secs) * 100)}%`;
  const topOf = (index: number) => top + index * rowHeight;

  // One cursor, with a cover to its right: moving along a row, it reveals what is typed there.
  const cursorAt = (column: number, index: number) =>
    `transform:translate(${short(left + column * columnWidth)}px,${topOf(index) - 14}px)`;
  const atRest = cursorAt(prompt.length, rows.length - 1);
  const moves = new Map<string, string>();
  for (const [index, { at, text, typedFor }] of rows.entries()) {
    moves.set(percent(at), cursorAt(0, index + 1));
    if (typedFor === undefined) continue;
    const typing = `animation-timing-function:steps(${text.length - prompt.length})`;
    moves.set(percent(at), `${cursorAt(prompt.length, index)};${typing}`);
    moves.set(percent(at + typedFor), cursorAt(text.length, index));
  }
  moves.set(percent(rows.at(-1)?.at ?? 0), atRest);
  const path = [...moves].map(([at, place]) => `${at}{${place}}`).join("");
  const instants = [...new Set(rows.map(({ at }) => at))];
  const appear = instants.map((at, index) =>
    at === 0 ? "" : `.a${index}{animation-name:a${index}}@keyframes a${index}{0%{opacity:0}${percent(at)}{opacity:1}}`,
  );
  const drawn = rows.map(({ at, text, colours }, index) => {
    const plain = visible(text);
    const length = `textLength="${short(plain.length * columnWidth)}"`;
    const content =
      text.search(escapeSequence) < 0
        ? coloured(spaced(plain), colours)
        : withOwnColours(text.replaceAll(" ", "\u00a0"));
    return `<text class="a a${instants.indexOf(at)}" x="${left}" y="${topOf(index)}" ${length}>${content}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${style}
.c{${atRest}}
@media(prefers-reduced-motion:no-preference){.a,.c{animation:${secs}s step-end infinite}
${appear.filter(Boolean).join("\n")}
.c{animation-name:c}@keyframes c{${path}}}</style>
<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>
<path d="M1 32h${width - 2}" stroke="#3d444d"/>
<g fill="#3d444d"><circle cx="20" cy="16" r="5"/><circle cx="38" cy="16" r="5"/><circle cx="56" cy="16" r="5"/></g>
<text class="dim" x="${width / 2}" y="21" text-anchor="middle">${escaped(title)}</text>
${drawn.join("\n")}
<g class="c"><rect width="${columnWidth}" height="19" fill="#9198a1"/><rect x="${columnWidth}" width="${width}" height="19" fill="#161b22"/></g>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="none" stroke="#3d444d"/>
</svg>
`;
}
