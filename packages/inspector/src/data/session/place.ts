import { effect, type Signal, signal } from "@preact/signals";

/** A key that was pressed, and `g` if it was pressed a moment before. */
export type KeyListener = (event: KeyboardEvent, first: string | undefined) => void;

/** Light or dark colours. */
export type Colours = "light" | "dark";

/** Where an inspector is shown: a page of its own, or an element of an app. */
export interface Place {
  /** Calls `listener` with each key that is for the inspector until the returned function is called. */
  onKey(listener: KeyListener): () => void;
  /** The colours that the user chose. Undefined: those that the system prefers. */
  readonly colours: Signal<Colours | undefined>;
}

/** How long the second key of two may take, in milliseconds. */
const pairMs = 1000;

/** Passes keys to listeners. */
export function createCredentials(): { readonly onKey: Place["onKey"]; press(event: KeyboardEvent): void } {
  const listeners = new Set<KeyListener>();
  let first: { readonly key: string; readonly at: number } | undefined;
  return {
    onKey(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press(event) {
      const isPair = first !== undefined && event.timeStamp - first.at < pairMs;
      const before = isPair ? first?.key : undefined;
      first = event.key === "g" && !isPair ? { key: event.key, at: event.timeStamp } : undefined;
      for (const listener of [...listeners]) listener(event, before);
    },
  };
}

/** The page that is the inspector's own. */
export function createPagePlace(): Place {
  const { onKey, press } = createCredentials();
  addEventListener("keydown", press);
  return { onKey, colours: coloursOf(document.documentElement, undefined) };
}

/**
 * An element of an app. Keys are for the inspector while the focus is inside it, and then the app does not get them; and
 * while the pointer is over it, unless the user types elsewhere.
 */
export function createHostPlace(host: HTMLElement, chosen: Colours | undefined): Place & { end(): void } {
  const { onKey, press } = createCredentials();
  const ending = new AbortController();
  const { signal } = ending;
  const inside = (event: KeyboardEvent) => {
    if (event.type === "keydown") press(event);
    event.stopPropagation();
  };
  for (const type of ["keydown", "keyup", "keypress"] as const) host.addEventListener(type, inside, { signal });
  const outside = (event: KeyboardEvent) => {
    if (host.matches(":hover") && !isText(event.target)) press(event);
  };
  addEventListener("keydown", outside, { signal });
  return { onKey, colours: coloursOf(host, chosen), end: () => ending.abort() };
}

function coloursOf({ style }: HTMLElement, chosen: Colours | undefined): Place["colours"] {
  const colours = signal(chosen);
  effect(() => {
    style.colorScheme = colours.value ?? "";
  });
  return colours;
}

function isText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
