import type { Level } from "./messages.ts";

/** The output of a program. */
export interface Output {
  clear(): void;
  /** Adds a text, which may contain ANSI colours. */
  print(level: Level, text: string): void;
  /** Adds an error that the program did not catch, with a button that leads to its line. */
  error(text: string, line: number | undefined): void;
  /** Shows now what would be shown with the next frame. */
  flush(): void;
}

/** A program that sends more lines than its worker lets through has changed the worker. */
const mostTexts = 4000;

/** Colours and weights of `util.inspect` as classes. */
const classes: Readonly<Record<string, string>> = {
  32: "pg-string",
  33: "pg-number",
  35: "pg-type",
  31: "pg-string",
  34: "pg-comment",
  36: "pg-type",
  1: "pg-strong",
  90: "pg-comment",
};

/** Shows the output of programs in an element. `goTo` shows a line of the program. */
export function createOutput(list: HTMLElement, goTo: (line: number) => void): Output {
  let waiting: Node[] = [];
  let count = 0;
  const flush = () => {
    // A reader of earlier lines stays there.
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
    list.append(...waiting);
    waiting = [];
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  };
  const add = (level: Level, ...content: Node[]) => {
    count += 1;
    if (count > mostTexts) return;
    // Once a frame, however much a program prints.
    if (waiting.length === 0) requestAnimationFrame(flush);
    const line = document.createElement("div");
    line.className = `pg-text pg-${level}`;
    line.append(...content);
    waiting.push(line);
  };
  return {
    flush,
    clear() {
      waiting = [];
      count = 0;
      list.replaceChildren();
    },
    print: (level, text) => add(level, ...coloured(String(text))),
    error(text, line) {
      const content = coloured(String(text));
      if (typeof line !== "number") return add("error", ...content);
      const button = document.createElement("button");
      button.className = "pg-line";
      button.textContent = `Line ${line}`;
      button.addEventListener("click", () => goTo(line));
      add("error", button, ...content);
    },
  };
}

/** A text with its ANSI colours as elements. */
function coloured(text: string): Node[] {
  let colour: string | undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI colours begin with a control character.
  return text.split(/\u001b\[(\d+)m/).flatMap((part, index) => {
    if (index % 2 === 1) colour = classes[part];
    if (index % 2 === 1 || part === "") return [];
    if (colour === undefined) return new Text(part);
    const span = document.createElement("span");
    span.className = colour;
    span.textContent = part;
    return span;
  });
}
