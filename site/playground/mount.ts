import { createChoice } from "./choice.ts";
import { createEditor, markAwaits } from "./editor.ts";
import { createInspectorPane } from "./inspector-pane.ts";
import { createOutput } from "./output.ts";
import { type RunningProgram, startProgram } from "./sandbox.ts";
import { encode } from "./share.ts";
import "./style.css";
import { type Colours, createView } from "./view.ts";

/** A playground in a page. */
export interface MountedPlayground {
  /** Changes the colours. */
  show(colours: Colours): void;
  /** Ends the program and removes the playground. */
  unmount(): void;
}

/** After this time a running program is offered to be stopped. */
const longMs = 5000;

/**
 * Shows the playground in an element: an editor, what its program prints, and the inspector of the backends that the program
 * creates. The page's address chooses the program: `#program=place-a-call`, or `#code=…` for one that was shared.
 */
export function mountPlayground(parent: HTMLElement, colours: Colours): MountedPlayground {
  const view = createView(parent);
  /** The script of the worker; undefined if it could not be loaded. */
  const runtime = import("virtual:playground-runtime").then(
    ({ text }) => text,
    () => undefined,
  );
  let program: RunningProgram | undefined;
  /** Counts each start and each end, so that a start that waits for the runtime continues only if it is the latest. */
  let turn = 0;
  let reminder: ReturnType<typeof setTimeout> | undefined;

  const editor = createEditor(view.editor, view.hint.id, { run: () => void run(), changed: () => view.say("") });
  const output = createOutput(view.output, editor.goTo);
  const inspector = createInspectorPane(view);
  const choice = createChoice(view, editor, discard);
  show(colours);

  function show(next: Colours) {
    view.root.dataset.colours = next;
    inspector.show(next);
  }

  function rest(status: string) {
    turn += 1;
    clearTimeout(reminder);
    view.setRunning(false);
    view.say(status);
  }

  /** Ends the program and clears its output and its backends. */
  function discard() {
    program?.stop();
    program = undefined;
    rest("");
    output.clear();
    editor.mark(undefined);
    inspector.clear();
  }

  async function run() {
    discard();
    const mine = turn;
    view.setRunning(true);
    view.say("Running…");
    view.showOutput();
    const started = performance.now();
    const script = await runtime;
    if (mine !== turn) return;
    if (script === undefined) return rest("The playground could not be loaded. Reload the page.");
    reminder = setTimeout(() => view.offerStop(), longMs);
    program = startProgram(script, markAwaits(editor.text), {
      backend: (backend) => inspector.add(backend),
      printed(message) {
        if (message.type === "print") return output.print(message.level, message.text);
        // A program can choose the line of its errors.
        const line = editor.hasLine(message.line) ? message.line : undefined;
        output.error(message.text, line);
        editor.mark(line);
      },
      ended(failed) {
        output.flush();
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        rest(`${failed ? "Failed" : "Done"} after ${seconds} s`);
      },
    });
  }

  function stop() {
    program?.stop();
    inspector.clear();
    rest("Stopped");
  }

  async function share() {
    const code = await encode(editor.text);
    if (code === undefined) return view.say("The program is too long for a link.");
    const url = new URL(`#code=${code}`, location.href);
    history.replaceState(history.state, "", url);
    try {
      await navigator.clipboard.writeText(url.href);
      view.say("Link copied");
    } catch {
      view.say("The link is in the address bar");
    }
  }

  view.on({ run: () => void run(), stop, share: () => void share(), reset: choice.reset });
  return {
    show,
    unmount() {
      discard();
      choice.end();
      editor.end();
      view.root.remove();
    },
  };
}
