import { useEffect } from "preact/hooks";

/** A key, or two keys one after the other such as `g t`, and what it does. */
export type Keys = Readonly<Record<string, () => void>>;

/** How long the second key of two may take, in milliseconds. */
const pairMs = 1000;
let first: { readonly key: string; readonly at: number } | undefined;

/** Runs functions for keys while the component is shown, unless the user types a text or a dialog is open. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const isPair = first !== undefined && event.timeStamp - first.at < pairMs && first.at !== event.timeStamp;
      const pair = isPair && first !== undefined ? keys[`${first.key} ${event.key}`] : undefined;
      const run = pair ?? (isPair ? undefined : keys[event.key]);
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

/** Remembers the first key of two. The app calls it once for all. */
export function rememberFirstKey(event: KeyboardEvent): void {
  first = event.key === "g" && !isTyping(event) ? { key: event.key, at: event.timeStamp } : undefined;
}

function isTyping(event: KeyboardEvent): boolean {
  // The target within a shadow root, too.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]") || target.closest("dialog[open]") !== null;
}
