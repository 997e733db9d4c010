// Loads copies of the backend, and of the tables it reads, with a bug in them; the suite keeps the right tables.
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { type Mutant, withBug } from "../plant.ts";

type BackendModule = typeof import("@call-transfer/backend");

const packages = new URL("../../packages/", import.meta.url).href;
const isCopied = (url: string): boolean => /^(backend|spec)\/src\//.test(url.slice(packages.length));
const mark = "?copy=";
const [address, copyOf] = [(url: string) => url.split(mark)[0] ?? "", (url = "") => url.split(mark)[1]];

const planted = new Map<string, Mutant>();
const plain = new Map<string, string>();

/** The file as JavaScript, which is the same for all copies but the one with the bug. */
function sourceOf(url: string, mutant: Mutant | undefined): string {
  const file = url.slice(packages.length);
  if (mutant?.file === file) return stripTypeScriptTypes(withBug(mutant, readFileSync(new URL(url), "utf8")));
  const known = plain.get(url) ?? stripTypeScriptTypes(readFileSync(new URL(url), "utf8"));
  plain.set(url, known);
  return known;
}

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const copy = copyOf(context.parentURL);
    return copy !== undefined && isCopied(resolved.url) ? { ...resolved, url: resolved.url + mark + copy } : resolved;
  },
  load(url, context, next) {
    const copy = copyOf(url);
    if (copy === undefined) return next(url, context);
    return { format: "module", source: sourceOf(address(url), planted.get(copy)), shortCircuit: true };
  },
});

let copies = 0;

/** A backend with the bug in it, or a right one that is a copy all the same. */
export async function loadBackend(mutant: Mutant | undefined): Promise<BackendModule["createBackend"]> {
  const copy = String(copies++);
  if (mutant) planted.set(copy, mutant);
  const module: BackendModule = await import(`${packages}backend/src/index.ts${mark}${copy}`);
  return module.createBackend;
}
