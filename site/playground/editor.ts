import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The editor of a program. */
export interface Editor {
  /** The text of the program. */
  text: string;
  /** Whether a value is the number of one of its lines. */
  hasLine(value: unknown): value is number;
  /** Marks a line as the place of an error, or none. */
  mark(line: number | undefined): void;
  /** Puts the cursor on a line. */
  goTo(line: number): void;
  end(): void;
}

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--pg-comment)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: "var(--pg-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--pg-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--pg-number)" },
  { tag: [tags.typeName, tags.className], color: "var(--pg-type)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--pg-function)" },
]);

const setMark = StateEffect.define<number | undefined>();
const markedLine = Decoration.line({ class: "pg-marked-line" });
const mark = StateField.define({
  create: () => Decoration.none,
  update(marks, { effects, docChanged, state }) {
    for (const effect of effects) {
      if (!effect.is(setMark)) continue;
      const { value } = effect;
      return value === undefined ? Decoration.none : Decoration.set(markedLine.range(state.doc.line(value).from));
    }
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Shows an editor in an element. `changed` is called after each change that the user makes. */
export function createEditor(
  parent: HTMLElement,
  describedBy: string,
  { run, changed }: { run(): void; changed(): void },
): Editor {
  const runKey = {
    key: "Mod-Enter",
    run: () => {
      run();
      return true;
    },
  };
  const extensions = [
    keymap.of([runKey, indentWithTab, ...defaultKeymap, ...historyKeymap]),
    lineNumbers(),
    history(),
    indentOnInput(),
    closeBrackets(),
    typescriptLanguage,
    syntaxHighlighting(colours),
    mark,
    EditorView.contentAttributes.of({ "aria-label": "Program", "aria-describedby": describedBy, tabindex: "0" }),
    EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
  ];
  const stateOf = (doc: string) => EditorState.create({ doc, extensions });
  const view = new EditorView({ parent, state: stateOf("") });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      // A new state, so that undo does not lead to another program.
      view.setState(stateOf(text));
    },
    hasLine: (value): value is number =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= view.state.doc.lines,
    mark: (line) => view.dispatch({ effects: setMark.of(line) }),
    goTo(line) {
      const { doc } = view.state;
      const { from } = doc.line(Math.min(line, doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
