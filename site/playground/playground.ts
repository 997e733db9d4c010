import { texts } from "virtual:playground-programs";
import { mountInspector } from "@call-transfer/mock-server/inspector";
import { useData } from "vitepress";
import { defineComponent, h, nextTick, onBeforeUnmount, onMounted, ref, shallowRef, type VNode, watch } from "vue";
import { createEditor, type Editor } from "./editor.ts";
import { createOutput, type Output } from "./output.ts";
import { nameOf, programs } from "./programs.ts";
import type { RemoteBackend } from "./remote-backend.ts";
import { type RunningProgram, startProgram } from "./sandbox.ts";
import { decode, encode } from "./share.ts";
import "./style.css";

/** The name of a program that came with the address. */
const shared = "shared";
const hintId = "playground-hint";
const runKeys = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ ↵" : "Ctrl ↵";

/**
 * The playground: an editor, what its program prints, and the inspector of the backend that the program creates. The page's
 * address chooses the program: `#program=place-a-call`, or `#code=…` for one that was shared.
 */
export const Playground = defineComponent(() => {
  const { isDark } = useData();
  const editorPlace = ref<HTMLElement>();
  const outputPlace = ref<HTMLElement>();
  const inspectorPlace = ref<HTMLElement>();
  /** The program in the editor. */
  const name = ref("");
  const hasShared = ref(false);
  const status = ref("");
  const isRunning = ref(false);
  const hasRun = ref(false);
  const backend = shallowRef<RemoteBackend>();

  const originals = new Map(programs.map((program) => [nameOf(program), texts[program.path] ?? ""]));
  /** Programs as the user left them. */
  const drafts = new Map<string, string>();
  /** The script of the worker; undefined if it could not be loaded. */
  const runtime = import("virtual:playground-runtime").then(
    ({ text }) => text,
    () => undefined,
  );
  let editor: Editor | undefined;
  let output: Output | undefined;
  let program: RunningProgram | undefined;
  /** Counts each start and each end, so that a start that waits for the runtime continues only if it is the latest. */
  let turn = 0;

  function rest(text: string) {
    turn += 1;
    isRunning.value = false;
    status.value = text;
  }

  /** Ends the program and clears its output and its backend. */
  function discard() {
    program?.stop();
    program = undefined;
    rest("");
    hasRun.value = false;
    backend.value = undefined;
    output?.clear();
    editor?.mark(undefined);
  }

  async function run() {
    discard();
    const mine = turn;
    isRunning.value = true;
    hasRun.value = true;
    status.value = "Running…";
    // It may be off the screen, as on a phone.
    outputPlace.value?.scrollIntoView({ block: "nearest" });
    const started = performance.now();
    const script = await runtime;
    if (mine !== turn) return;
    if (script === undefined) return rest("The playground could not be loaded. Reload the page.");
    program = startProgram(script, editor?.text ?? "", {
      backend(created) {
        backend.value = created;
      },
      printed(message) {
        if (message.type === "print") return output?.print(message.level, message.text);
        // A program can choose the line of its errors.
        const line = editor?.hasLine(message.line) ? message.line : undefined;
        output?.error(message.text, line);
        editor?.mark(line);
      },
      ended(failed) {
        output?.flush();
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        rest(`${failed ? "Failed" : "Done"} after ${seconds} s`);
      },
    });
  }

  function stop() {
    program?.stop();
    backend.value = undefined;
    rest("Stopped");
  }

  function open(next: string) {
    if (name.value !== "" && editor) drafts.set(name.value, editor.text);
    discard();
    name.value = next;
    if (editor) editor.text = drafts.get(next) ?? originals.get(next) ?? "";
  }

  function reset() {
    const current = name.value;
    name.value = "";
    drafts.delete(current);
    open(current);
  }

  async function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const code = given.get("code");
    const source = code === null ? undefined : await decode(code);
    if (source !== undefined) {
      originals.set(shared, source);
      hasShared.value = true;
      drafts.delete(shared);
      if (name.value === shared) name.value = "";
      return open(shared);
    }
    const asked = given.get("program") ?? "";
    if (originals.has(asked) && asked !== name.value) open(asked);
    else if (name.value === "" || code !== null) open(nameOf(programs[0]));
    if (code !== null) status.value = "The link is damaged. It holds no program.";
  }
  const readAgain = () => void readAddress();

  function choose({ target }: Event) {
    const { value } = target as HTMLSelectElement;
    open(value);
    if (value !== shared) history.replaceState(history.state, "", `#program=${value}`);
  }

  async function share() {
    const code = await encode(editor?.text ?? "");
    if (code === undefined) {
      status.value = "The program is too long for a link.";
      return;
    }
    const url = new URL(`#code=${code}`, location.href);
    history.replaceState(history.state, "", url);
    status.value = await navigator.clipboard.writeText(url.href).then(
      () => "Link copied",
      () => "The link is in the address bar",
    );
  }

  watch([backend, isDark], async ([shown, dark], _, onCleanup) => {
    let end: (() => void) | undefined;
    onCleanup(() => end?.());
    await nextTick();
    if (shown === undefined || shown !== backend.value || dark !== isDark.value || !inspectorPlace.value) return;
    const options = { baseUrl: "http://localhost", theme: dark ? "dark" : "light" } as const;
    const mounted = mountInspector(inspectorPlace.value, shown, options);
    end = () => mounted.unmount();
  });
  onMounted(() => {
    if (!editorPlace.value || !outputPlace.value) return;
    const changed = () => {
      status.value = "";
    };
    editor = createEditor(editorPlace.value, hintId, { run: () => void run(), changed });
    output = createOutput(outputPlace.value, editor.goTo);
    addEventListener("hashchange", readAgain);
    readAgain();
  });
  onBeforeUnmount(() => {
    removeEventListener("hashchange", readAgain);
    discard();
    editor?.end();
  });

  const button = (kind: string, onClick: () => unknown, ...content: (string | VNode)[]) =>
    h("button", { type: "button", class: `pg-button pg-${kind}`, onClick }, content);
  const option = (value: string, title: string) => h("option", { value, selected: value === name.value }, title);
  const pane = (kind: string, label: string, ...content: (VNode | false)[]) =>
    h("section", { class: `pg-pane pg-${kind}`, "aria-label": label }, content);

  return () =>
    h("div", { class: "pg" }, [
      h("div", { class: "pg-bar", role: "toolbar", "aria-label": "Program" }, [
        h("select", { "aria-label": "Program", onChange: choose }, [
          ...(hasShared.value ? [option(shared, "From the link")] : []),
          ...programs.map((one) => option(nameOf(one), one.title)),
        ]),
        isRunning.value ? button("stop", stop, "Stop") : button("run", run, "Run ", h("kbd", runKeys)),
        h("span", { class: "pg-status", role: "status" }, status.value),
        button("link", share, "Copy link"),
        button("reset", reset, "Reset"),
      ]),
      name.value === shared &&
        !hasRun.value &&
        h("p", { class: "pg-notice" }, [
          "This program came with the link. Read it, then press Run. It has no network and reaches nothing of this site.",
        ]),
      h("div", { class: "pg-panes" }, [
        pane(
          "program",
          "Program",
          h("div", { ref: editorPlace, class: "pg-editor" }),
          h("p", { class: "pg-hint", id: hintId }, "Tab indents. To leave the editor, press Escape, then Tab."),
        ),
        pane(
          "output",
          "Output",
          h("h2", "Output"),
          h("div", { ref: outputPlace, class: "pg-lines", role: "log", tabindex: "0", "aria-label": "Output" }),
          !hasRun.value && h("p", { class: "pg-empty" }, "Press Run. What the program prints appears here."),
        ),
        pane(
          "backend",
          "Backend",
          h("h2", "Backend"),
          backend.value
            ? h("div", { ref: inspectorPlace, class: "pg-inspector", key: "inspector" })
            : h(
                "p",
                { class: "pg-empty" },
                "The backend of the program appears here: its requests, its transfers and its clock.",
              ),
        ),
      ]),
    ]);
});
