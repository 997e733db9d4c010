import type { Backend, SandboxRegistry } from "@call-transfer/backend";
import { h, render } from "preact";
import { App } from "./app.tsx";
import { followHere } from "./data/connection/follow.ts";
import { createBackendSource } from "./data/connection/source.ts";
import { createHostPlace, createMemoryRouter } from "./data/place.ts";
import { createSession } from "./data/session.ts";
import hostStyle from "./style/host.css?inline";
import style from "./style/index.css?inline";

/** How {@link mountInspector} shows the inspector. */
export interface MountOptions {
  /** The base URL of the mocked client, as in `callTransferHandlers`. Copied requests name it. The page's origin by default. */
  readonly baseUrl?: string;
  /** The sandbox to begin with; `default` by default. */
  readonly sandbox?: string;
  /** The screen to begin with: `events` by default, `calls`, `webhooks`, `errors` or `records`. */
  readonly screen?: string;
  /** Light or dark colors; by default those that the system prefers. */
  readonly theme?: "light" | "dark";
}

/** An inspector in a page. */
export interface MountedInspector {
  /** Removes the inspector, and ends its timers and streams. */
  unmount(): void;
}

/**
 * Shows the inspector of a backend in the page, inside an element, which must have a height. It has a shadow root, so that
 * neither its styles nor the app's reach the other, and takes keys only while the focus is inside it or the pointer over it.
 *
 * @param backend A backend that was created with `controlPlane: true`, or sandboxes. Its `fetch` is enough, for example one
 *   that passes requests to a backend in a worker.
 */
export function mountInspector(
  element: Element,
  backend: Pick<Backend | SandboxRegistry, "fetch">,
  { baseUrl = location.origin, sandbox = "default", screen = "", theme }: MountOptions = {},
): MountedInspector {
  // Rules for the elements of an app rarely match this name.
  const host = document.createElement("call-transfer-inspector");
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [styleSheet(hostStyle), styleSheet(style)];
  const root = document.createElement("div");
  root.id = "inspector";
  shadow.append(root);
  const place = createHostPlace(host, theme);
  const router = createMemoryRouter({ sandbox, screen });
  const session = createSession(createBackendSource(backend, baseUrl, followHere), router, place);
  element.append(host);
  render(h(App, { session }), root);
  return {
    unmount() {
      render(null, root);
      session.end();
      place.end();
      host.remove();
    },
  };
}

function styleSheet(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}
