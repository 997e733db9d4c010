import { type ReadonlySignal, signal } from "@preact/signals";
import { decoded } from "../values/decoded.ts";

/** What the inspector shows. */
export interface Route {
  readonly sandbox: string;
  /** The id of a screen. */
  readonly screen: string;
  /** What is selected on the screen, such as the id of a request. */
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

/** Keeps the route after the `#` of the page's address: `#/default/traffic/12`. */
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
