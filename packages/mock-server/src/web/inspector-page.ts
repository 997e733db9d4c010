/** A request that may be for the inspector. */
export interface PageRequest {
  readonly method: string;
  /** The normalized path of its URL. */
  readonly pathname: string;
  /** Its `Accept` header. */
  readonly accept: string | undefined;
}

/** The answer to a request for the inspector. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The path of the inspector. */
export const home = "/_inspector/";
/** The files of the build. Names have no slash and begin with no dot, so that no path leads out of the folder. */
const filePath = /^\/_inspector\/(|index\.html|assets\/[\w-][\w.-]*)$/;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The page runs and loads nothing but its own files, and sends nothing to other origins. No other page can embed it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types call-transfer-inspector",
].join("; ");

const securityHeaders = {
  "Content-Security-Policy": policy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** What a browser asks for by itself beside any answer that it shows in a tab, so it belongs into no request log. */
const icon = "/favicon.ico";

/** Whether a request is for the inspector: for one of its paths, or by a browser for the server's root or its icon. */
export function isForInspector({ method, pathname, accept }: PageRequest): boolean {
  if (pathname === icon) return isRead(method) && accept?.includes("image/") === true;
  if (pathname === "/_inspector" || pathname.startsWith(home)) return true;
  return pathname === "/" && isRead(method) && accept?.includes("text/html") === true;
}

/** The answer to a program that asks for the server's root, such as a readiness probe; undefined for any other request. */
export function rootAnswer({ method, pathname }: PageRequest): (PageAnswer & { readonly body: string }) | undefined {
  if (pathname !== "/" || !isRead(method)) return undefined;
  const body = `${JSON.stringify({ status: "ok", api: "/api/v1", inspector: home, health: "/health" })}\n`;
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", Vary: "Accept" },
    body,
  };
}

/** Where the files of the inspector are. */
export interface InspectorFiles {
  /** Reads a file; undefined if there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** How to add missing files: a sentence. */
  readonly advice: string;
  /** The shell command of this program, for the commands on the page; by default the one that the file names. */
  readonly program?: string;
}

/** Answers a request for the inspector from the files of its build. */
export async function inspectorPage(
  { method, pathname }: PageRequest,
  { read, advice, program }: InspectorFiles,
): Promise<PageAnswer> {
  if (!isRead(method))
    return page(405, "Method not allowed", "The inspector's files can only be read. Use GET or HEAD.", {
      Allow: "GET, HEAD",
    });
  if (pathname === icon) return page(404, "Not found", "This server has no icon.");
  // Relative, because a proxy may serve the server below a path of its own.
  if (!pathname.startsWith(home))
    return {
      status: 302,
      headers: { ...securityHeaders, Location: "_inspector/", "Cache-Control": "no-store", Vary: "Accept" },
      body: "",
    };
  const name = filePath.exec(pathname)?.[1];
  const isHome = name === "" || name === "index.html";
  const file = name === undefined ? undefined : await read(isHome ? "index.html" : name);
  if (file !== undefined && name !== undefined) {
    const type = isHome ? types[".html"] : types[/\.\w+$/.exec(name)?.[0] ?? ""];
    const cache = isHome ? "no-store" : "public, max-age=31536000, immutable";
    const headers = { "Content-Type": type ?? "application/octet-stream", "Cache-Control": cache };
    const body = isHome && program !== undefined ? withProgram(file, program) : file;
    return { status: 200, headers: { ...securityHeaders, ...headers }, body };
  }
  if (!isHome) return page(404, "Not found", "The inspector has no such file. Open /_inspector/ instead.");
  return page(503, "The inspector is not built", `Its files are missing. ${advice} Then reload this page.`);
}

/** The page with the command that its server was started with. */
function withProgram(html: Uint8Array, program: string): string {
  return new TextDecoder().decode(html).replace(/data-program="[^"]*"/, `data-program="${program}"`);
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** A page with one sentence. Its empty icon keeps browsers from asking for /favicon.ico. */
function page(status: number, title: string, text: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return {
    status,
    headers: {
      ...securityHeaders,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      ...headers,
    },
    body: `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><p>${text}</p></html>\n`,
  };
}
