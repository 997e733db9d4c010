import { texts } from "virtual:playground-programs";
import type { Editor } from "./editor.ts";
import { nameOf, type Program, programs } from "./programs.ts";
import { decode } from "./share.ts";
import type { View } from "./view.ts";

/** The programs that can be chosen. */
export interface Choice {
  /** Puts the program back to how it was chosen. */
  reset(): void;
  end(): void;
}

/** The name of a program that came with the address. */
const shared = "shared";

/** Lets the user choose what the editor shows. `changed` is called when it is another program. */
export function createChoice(view: View, editor: Editor, changed: () => void): Choice {
  const originals = new Map(programs.map((program) => [nameOf(program), texts[program.path] ?? ""]));
  /** Programs as the user left them. */
  const drafts = new Map<string, string>();
  let current: string | undefined;

  const open = (name: string) => {
    if (current !== undefined) drafts.set(current, editor.text);
    changed();
    current = name;
    view.select(name, name === shared);
    editor.text = drafts.get(name) ?? originals.get(name) ?? "";
  };
  const readAddress = async () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const code = given.get("code");
    if (code !== null) {
      const source = await decode(code);
      if (source === undefined) {
        open(nameOf(programs[0]));
        view.say("The link is damaged. It holds no program.");
        return;
      }
      originals.set(shared, source);
      drafts.delete(shared);
      if (current === shared) current = undefined;
      view.addShared(shared);
      open(shared);
      return;
    }
    const name = given.get("program");
    if (name !== null && originals.has(name) && name !== current) open(name);
    else if (current === undefined) open(nameOf(programs[0]));
  };
  const readAgain = () => void readAddress();

  view.fill(programs.map((program: Program) => [nameOf(program), program.title] as const));
  view.onChoice((name) => {
    open(name);
    if (name !== shared) history.replaceState(history.state, "", `#program=${name}`);
  });
  addEventListener("hashchange", readAgain);
  readAgain();
  return {
    reset() {
      if (current === undefined) return;
      drafts.delete(current);
      const name = current;
      current = undefined;
      open(name);
    },
    end: () => removeEventListener("hashchange", readAgain),
  };
}
