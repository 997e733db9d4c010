import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { decoded } from "./format.ts";

/** A key that was pressed, and `g` if it was pressed a moment before. */
export type KeyListener = (event: KeyboardEvent, first: string | undefined) => void;

/** Light or dark colors. */
export type Theme = "light" | "dark";

/** Where an inspector is shown: a page of its own, or an element of an app. */
export interface Place {
  /** Calls `listener` with each key that is for the inspector until the returned function is called. */
  onKey(listener: KeyListener): () => void;
  /** The colors that the user chose. Undefined: those that the system prefers. */
  readonly theme: Signal<Theme | undefined>;
}

/** How long the second key of two may take, in milliseconds. */
const pairMs = 1000;

/** Passes keys to listeners. */
export function createKeyboard(): { readonly onKey: Place["onKey"]; press(event: KeyboardEvent): void } {
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
  const { onKey, press } = createKeyboard();
  addEventListener("keydown", press);
  return { onKey, theme: themeOf(document.documentElement, undefined) };
}

/**
 * An element of an app. Keys are for the inspector while the focus is inside it, and then the app does not get them; and
 * while the pointer is over it, unless the user types elsewhere.
 */
export function createHostPlace(host: HTMLElement, chosen: Theme | undefined): Place & { end(): void } {
  const { onKey, press } = createKeyboard();
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
  return { onKey, theme: themeOf(host, chosen), end: () => ending.abort() };
}

function themeOf({ style }: HTMLElement, chosen: Theme | undefined): Place["theme"] {
  const theme = signal(chosen);
  effect(() => {
    style.colorScheme = theme.value ?? "";
  });
  return theme;
}

function isText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** What the inspector shows. */
export interface Route {
  readonly sandbox: string;
  /** The id of a screen. */
  readonly screen: string;
  /** The selection on the screen, such as the id of a request. */
  readonly rest: readonly string[];
}

/** The route, and how it changes. */
export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** The address of a route, for links. Where routes have none, a link goes by its click alone. */
  href(route: Route): string;
  go(route: Route): void;
}

const start: Route = { sandbox: "default", screen: "", rest: [] };

/** Keeps the route after the `#` of the page's address: `#/default/events/12`. */
export function createHashRouter(): Router {
  const route = signal(parseHash(location.hash));
  addEventListener("hashchange", () => {
    if (location.hash !== formatHash(route.value)) route.value = parseHash(location.hash);
  });
  const go = (next: Route) => {
    location.assign(formatHash(next));
    // The event comes later: a key that is held down must not act on the old route.
    route.value = next;
  };
  return { route, href: formatHash, go };
}

/** Keeps the route in memory, in a page whose address belongs to an app. */
export function createMemoryRouter(first: Partial<Route> = {}): Router {
  const route = signal<Route>({ ...start, ...first });
  return {
    route,
    href: () => "#",
    go: (next) => {
      route.value = next;
    },
  };
}

function parseHash(hash: string): Route {
  const [sandbox, screen, ...rest] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  return { sandbox: sandbox || start.sandbox, screen: screen ?? "", rest: rest.filter((part) => part !== "") };
}

function formatHash({ sandbox, screen, rest }: Route): string {
  return `#/${[sandbox, screen, ...rest].map(encodeURIComponent).join("/")}`;
}
