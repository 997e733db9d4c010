// What the SDK reads from the runtime that it runs in, and what replaces the parts that a small runtime lacks.
import { ConfigurationError } from "../errors/base.ts";
import { product } from "../generated/version.gen.ts";
import { isText } from "../utils/guards.ts";

interface Runtime {
  readonly process?: { readonly env?: Record<string, unknown>; readonly versions?: Record<string, unknown> };
  readonly navigator?: { readonly userAgent?: unknown; readonly product?: unknown };
}

/** A page or a web worker. */
export const inBrowser = (): boolean => "document" in globalThis || "importScripts" in globalThis;

/** An app of React Native, whose users can read what it holds. */
export const inReactNative = (): boolean => (globalThis as Runtime).navigator?.product === "ReactNative";

/** Globals that nothing replaces. `fetch` is one more, unless the client has an own. */
const required = ["AbortController", "Headers", "Response", "URL", "URLSearchParams"];

/** @throws {ConfigurationError} The runtime lacks a global that the SDK needs. */
export function checkRuntime(): void {
  for (const name of required)
    if ((globalThis as Readonly<Record<string, unknown>>)[name] === undefined)
      throw new ConfigurationError(name, "is missing in this runtime. Load a polyfill before you create a client.");
}

/** Reason of an abort: a `DOMException`, or an error of the same name. */
export const abortReason = (name: "AbortError" | "TimeoutError", message: string): Error =>
  globalThis.DOMException ? new DOMException(message, name) : Object.assign(new Error(message), { name });

/** What `AbortSignal.throwIfAborted()` throws. Some runtimes have neither that method nor a reason. */
export const reasonOf = ({ reason }: AbortSignal): unknown => reason ?? abortReason("AbortError", "aborted");

/** An environment variable without spaces around it. Undefined if it is empty, or cannot be read. */
export function readVariable(name: string): string | undefined {
  try {
    const value = (globalThis as Runtime).process?.env?.[name];
    return (isText(value) && value.trim()) || undefined;
  } catch {
    // Deno refuses without --allow-env.
    return undefined;
  }
}

/**
 * The `User-Agent` header, e.g. `call-transfer-sdk/1.0.0 (contract 1) node/24.21.0`. None in browsers: they have their own,
 * and another would need the API's permission (CORS).
 */
export function userAgentHeader(): { readonly "user-agent"?: string } {
  return inBrowser() ? {} : { "user-agent": `${product}${runtimeProduct()}` };
}

/** The runtime and its version, after a space; empty if unknown. */
function runtimeProduct(): string {
  try {
    const { process, navigator } = globalThis as Runtime;
    const versions = process?.versions ?? {};
    // Bun and Deno have a version of Node too.
    const name = ["bun", "deno", "node"].find((one) => versions[one]);
    const product = name ? `${name}/${versions[name]}` : navigator?.userAgent;
    return isText(product, /^[\w./-]+$/) ? ` ${product}` : "";
  } catch {
    // A page or a test may have replaced these objects.
    return "";
  }
}
