// What an attempt changed on the server, as far as its response or its error tells.
import type { RequestOutcome } from "../errors/details.ts";
import { effectFreeCodes } from "../generated/constants.gen.ts";
import { orElse } from "../utils/guards.ts";
import { provesUnsent } from "./not-sent.ts";

const byCertainty: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** Combines the outcomes of two attempts. `unknown` stays: a later refusal says nothing about an earlier attempt. */
export function combine(one: RequestOutcome, other: RequestOutcome): RequestOutcome {
  return byCertainty.indexOf(one) > byCertainty.indexOf(other) ? one : other;
}

/** Whether a response is a 503 that had no effect, if assumption A-28 is right. */
export const isEffectFree = (status: number | undefined, code = ""): boolean =>
  status === 503 && effectFreeCodes.includes(code);

/** Effect of an attempt by its status and code. Whether to rely on assumption A-28 is the caller's choice. */
export function outcomeOfResponse(status: number, code: string | undefined, trust503Codes: boolean): RequestOutcome {
  if (status >= 200 && status < 300) return "applied";
  if (trust503Codes && isEffectFree(status, code)) return "rejected";
  return status >= 300 && status < 500 && status !== 408 ? "rejected" : "unknown";
}

/** The media type of a response, without parameters. */
export const contentTypeOf = (response: Response): string =>
  response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

export const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

/** Whether a success is labelled as a page or a file. JSON without a label often gets plain text. */
const isForeign = (response: Response): boolean => {
  const type = contentTypeOf(response);
  return type !== "" && type !== "text/plain" && !isJsonType(type);
};

/** Effect of an attempt by its response. A browser hides a redirect behind status 0, like a lost connection. */
export function effectOf(response: Response, code?: string, trust503Codes = false): RequestOutcome {
  if (response.type === "opaqueredirect") return "rejected";
  // A success that is not JSON does not come from the API.
  return response.ok && isForeign(response) ? "unknown" : outcomeOfResponse(response.status, code, trust503Codes);
}

/** Effect of an attempt, by what was seen of it, or else by the error of fetch. Runtimes that hide the cause lead to `unknown`. */
export const outcomeOfFailure = (error: unknown, isUnsent?: boolean): RequestOutcome =>
  // Its getters may throw.
  (isUnsent ?? orElse(() => provesUnsent(error), false)) ? "not_sent" : "unknown";
