import { useLayoutEffect } from "preact/hooks";
import { useSession } from "../data/session/context.ts";

/** A key, or two keys one after the other such as `g t`, and what it does. */
export type Keys = Readonly<Record<string, () => void>>;

/** Runs functions for keys while the component is shown, unless the user types a text or a dialog is open. */
export function useKeys(keys: Keys): void {
  const { place } = useSession();
  // Before the page is painted: keys that follow each other quickly must not act on what was shown before.
  useLayoutEffect(() =>
    place.onKey((event, first) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const run = first === "g" ? keys[`g ${event.key}`] : keys[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    }),
  );
}

function isTyping(event: KeyboardEvent): boolean {
  // The target within a shadow root, too.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]") || target.closest("dialog[open]") !== null;
}
