import { element } from "./element.ts";

/** Light or dark colours. */
export type Colours = "light" | "dark";

/** The actions of the buttons. */
export interface Actions {
  run(): void;
  stop(): void;
  share(): void;
  reset(): void;
}

/** The elements of a playground. */
export type View = ReturnType<typeof createView>;

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
const runKeys = isApple ? "⌘ ↵" : "Ctrl ↵";

const icons = {
  run: "M5 3.2v9.6l8-4.8z",
  stop: "M4 4h8v8H4z",
  link: "M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2.5-2.5a2.6 2.6 0 0 0-3.7-3.7L8 4.3M9.4 6.6a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7L8 11.7",
  reset: "M3.2 8a4.8 4.8 0 1 0 1.5-3.5M3 2.6v2.6h2.6",
};

function icon(name: keyof typeof icons): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  if (name === "run" || name === "stop") svg.classList.add("pg-filled");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

const button = (label: string, kind: keyof typeof icons, ...more: Node[]) =>
  element("button", { type: "button", class: `pg-button pg-${kind}` }, icon(kind), element("span", {}, label), ...more);

/** Shows the elements of a playground. */
export function createView(parent: HTMLElement) {
  const choice = element("select", { "aria-label": "Program" });
  const run = button("Run", "run", element("kbd", {}, runKeys));
  const stop = button("Stop", "stop");
  const share = button("Copy link", "link");
  const reset = button("Reset", "reset");
  const status = element("span", { class: "pg-status", role: "status" });
  const notice = element(
    "p",
    { class: "pg-notice" },
    "This program came with the link. Read it, then press Run. It has no network and reaches nothing of this site.",
  );
  const hint = element(
    "p",
    { class: "pg-hint", id: "playground-hint" },
    "Tab indents. To leave the editor, press Escape, then Tab.",
  );
  const editor = element("div", { class: "pg-editor" });
  const output = element("div", { class: "pg-lines", role: "log", tabindex: "0", "aria-label": "Output" });
  const outputEmpty = element("p", { class: "pg-empty" }, "Press Run. What the program prints appears here.");
  const stopToo = element("button", { type: "button", class: "pg-button" }, "Stop it");
  const long = element(
    "p",
    { class: "pg-notice", role: "alert" },
    element("span", {}, "The program is still running. It may wait for something, or be in an endless loop."),
    stopToo,
  );
  const backend = element("select", { "aria-label": "Backend" });
  const inspector = element("div", { class: "pg-inspector" });
  const inspectorEmpty = element(
    "p",
    { class: "pg-empty" },
    "The backend of the program appears here: its requests, its transfers and its clock.",
  );
  const bar = [choice, run, stop, status, element("span", { class: "pg-space" }), share, reset];
  const root = element(
    "div",
    { class: "pg" },
    element("div", { class: "pg-bar", role: "toolbar", "aria-label": "Program" }, ...bar),
    notice,
    element(
      "div",
      { class: "pg-panes" },
      element("section", { class: "pg-pane pg-program", "aria-label": "Program" }, editor, hint),
      element(
        "section",
        { class: "pg-pane pg-output", "aria-label": "Output" },
        element("h2", {}, "Output"),
        output,
        outputEmpty,
        long,
      ),
      element(
        "section",
        { class: "pg-pane pg-backend", "aria-label": "Backend" },
        element("h2", {}, "Backend"),
        backend,
        inspectorEmpty,
        inspector,
      ),
    ),
  );
  const setRunning = (isRunning: boolean) => {
    const hadFocus =
      root.contains(document.activeElement) && [run, stop, stopToo].includes(document.activeElement as never);
    run.hidden = isRunning;
    stop.hidden = !isRunning;
    long.hidden = true;
    if (isRunning) {
      outputEmpty.hidden = true;
      notice.hidden = true;
    }
    if (hadFocus) (isRunning ? stop : run).focus();
  };
  setRunning(false);
  notice.hidden = true;
  backend.hidden = true;
  parent.append(root);
  return {
    root,
    editor,
    hint,
    output,
    inspector,
    say: (text: string) => {
      status.textContent = text;
    },
    setRunning,
    /** Scrolls to the output if it is not on the screen, as on a phone. */
    showOutput: () => output.scrollIntoView({ block: "nearest" }),
    /** Offers to stop a program that takes long. */
    offerStop: () => {
      long.hidden = false;
    },
    fill: (options: readonly (readonly [name: string, title: string])[]) =>
      choice.replaceChildren(...options.map(([value, title]) => element("option", { value }, title))),
    addShared(value: string) {
      if (!choice.querySelector(`[value="${value}"]`)) choice.prepend(element("option", { value }, "From the link"));
    },
    select(name: string, isShared: boolean) {
      choice.value = name;
      notice.hidden = !isShared;
      outputEmpty.hidden = false;
    },
    onChoice: (chosen: (name: string) => void) => choice.addEventListener("change", () => chosen(choice.value)),
    countBackends(count: number, current: number) {
      backend.hidden = count < 2;
      const options = Array.from({ length: count }, (_, index) =>
        element("option", { value: String(index) }, `Backend ${index + 1} of ${count}`),
      );
      backend.replaceChildren(...options);
      backend.value = String(current);
    },
    onBackend: (chosen: (index: number) => void) =>
      backend.addEventListener("change", () => chosen(Number(backend.value))),
    showInspector(isShown: boolean) {
      inspector.hidden = !isShown;
      inspectorEmpty.hidden = isShown;
    },
    on(actions: Actions) {
      run.addEventListener("click", actions.run);
      for (const each of [stop, stopToo]) each.addEventListener("click", actions.stop);
      share.addEventListener("click", actions.share);
      reset.addEventListener("click", actions.reset);
    },
  };
}
