import { type BackendOptions, InputError } from "@call-transfer/backend";
import { isOriginPattern, originAdvice } from "../net/urls.ts";
import { controlTokenForm, isControlToken } from "../web/admission.ts";
import type { WorkerEnv } from "./platform.ts";

/** The settings of the Worker, checked. */
export interface Settings {
  readonly controlToken: string | undefined;
  /** The end of the host names that select a sandbox, such as `.mock.example.com`. */
  readonly hostSuffix: string | undefined;
  readonly isAuto: boolean;
  readonly maxSandboxes: number;
  /** Milliseconds without a request after which a sandbox is deleted; undefined for never. */
  readonly expiryMs: number | undefined;
  readonly options: BackendOptions;
  readonly origins: readonly string[];
}

export const dayMs = 86_400_000;

/** Reads the settings. Throws InputError that names the wrong one. */
export function readSettings(env: Omit<WorkerEnv, "SANDBOX" | "DIRECTORY" | "ASSETS">): Settings {
  const { CONTROL_TOKEN: controlToken, SANDBOX_HOST: host = "", AUTO_SANDBOXES: isAuto = false } = env;
  if (controlToken !== undefined && !isControlToken(controlToken))
    throw new InputError("CONTROL_TOKEN", controlTokenForm);
  if (host !== "" && !/^\*(?:\.[a-z0-9-]+)+$/.test(host))
    throw new InputError("SANDBOX_HOST", "must be a pattern in lower case, such as *.mock.example.com");
  if (!["true", "false"].includes(String(isAuto))) throw new InputError("AUTO_SANDBOXES", "must be true or false");
  const maxSandboxes = numberIn(env.MAX_SANDBOXES, 1000);
  if (!(Number.isSafeInteger(maxSandboxes) && maxSandboxes > 0))
    throw new InputError("MAX_SANDBOXES", "must be an integer from 1");
  const days = numberIn(env.SANDBOX_IDLE_DAYS, 30);
  if (!(days >= 0)) throw new InputError("SANDBOX_IDLE_DAYS", "must be a number of days, or 0 to keep all sandboxes");
  return {
    controlToken,
    hostSuffix: host === "" ? undefined : host.slice(1),
    isAuto: String(isAuto) === "true",
    maxSandboxes,
    expiryMs: days === 0 ? undefined : days * dayMs,
    options: readOptions(env.SANDBOX_OPTIONS),
    origins: readOrigins(env.CORS_ORIGINS),
  };
}

/** A number from a variable, which may be a text; NaN for anything else. */
function numberIn(value: number | string | undefined, byDefault: number): number {
  return value === undefined || value === "" ? byDefault : Number(value);
}

/** The fields are checked where a sandbox is created from them. */
function readOptions(value: object | string = {}): BackendOptions {
  const message = 'must be a JSON object, such as { "clockMode": "frozen" }';
  try {
    const options: unknown = typeof value === "string" ? JSON.parse(value || "{}") : value;
    if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  } catch {}
  throw new InputError("SANDBOX_OPTIONS", message);
}

function readOrigins(list = ""): readonly string[] {
  const origins = list.split(",").flatMap((text) => text.trim() || []);
  const wrong = origins.find((origin) => !isOriginPattern(origin));
  if (wrong === undefined) return origins;
  throw new InputError("CORS_ORIGINS", `must be origins, separated by commas. ${wrong} ${originAdvice(wrong)}`);
}
