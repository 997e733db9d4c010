import { createChoice } from "./choice.ts";
import { createEditor } from "./editor.ts";
import { createInspectorPane } from "./inspector-pane.ts";
import { markAwaits } from "./mark-awaits.ts";
import { createOutput } from "./output.ts";
import { type RunningProgram, startProgram } from "./sandbox.ts";
import { encode } from "./share.ts";
import "./style.css";
import { createView } from "./view.ts";

/** Light or dark colours. */
export type Colours = "light" | "dark";

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
  const runtime = import("virtual:playground-runtime");
  let program: RunningProgram | undefined;
  let isRunning = false;
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
    isRunning = false;
    clearTimeout(reminder);
    view.setRunning(false);
    view.say(status);
  }

  /** Ends the program and removes all that is seen of it. */
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
    isRunning = true;
    view.setRunning(true);
    view.say("Running…");
    view.showOutput();
    const started = performance.now();
    const { text: script } = await runtime;
    if (!isRunning) return;
    reminder = setTimeout(() => view.offerStop(), longMs);
    program = startProgram(script, markAwaits(editor.text), {
      backend: (backend) => inspector.add(backend),
      printed(message) {
        if (message.type === "print") return output.print(message.level, message.text);
        output.error(message.text, message.line);
        editor.mark(message.line);
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
    const url = new URL(`#code=${await encode(editor.text)}`, location.href);
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
