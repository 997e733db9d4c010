import * as z from "zod";
import type { ScenarioName } from "./contents/scenarios.ts";
import type { Fault } from "./faults/fault.ts";
import type { Stub } from "./generated/models.gen.ts";
import type { AskElsewhere } from "./http/elsewhere.ts";
import type { Clock, WallClock } from "./model/clock.ts";
import type { Policies } from "./model/policies.ts";
import type { Seed } from "./model/records.ts";
import type { SandboxStore } from "./model/store.ts";
import { checkInput } from "./utils/input-error.ts";
import { isWebAddress } from "./utils/values.ts";

/** How a backend starts, and what it uses from outside. */
export interface BackendOptions {
  /** The initial records; `demoSeed` by default. */
  readonly seed?: Seed;
  /**
   * The clock's initial time, also after a reset: milliseconds since the epoch, a Date or an ISO 8601 timestamp. By default
   * 2026-03-02T12:00:00Z for a frozen clock, and the real time for a flowing one.
   */
  readonly now?: string | number | Date;
  /** `frozen` moves only on request, `flowing` follows the wall clock; `frozen` by default. */
  readonly clock?: Clock["mode"];
  /** How many seconds pass in one second of real time, while the clock flows: above 0, up to 10,000; 1 by default. */
  readonly clockRate?: number;
  /**
   * Seed of the ids that are created after the start, an integer. By default 1 for a frozen clock, so that runs repeat, and a
   * random one for a flowing clock, so that no event of a later run has the id of an earlier one. The ids and secrets that
   * `seed` leaves out do not depend on it, nor does the key that signs access tokens: all backends have the same key, so the
   * tokens protect nothing.
   */
  readonly prng?: number;
  /** Changes to the default policies. */
  readonly policies?: Partial<Policies>;
  /** The initial faults, also after a reset; none by default. A text such as `createCall 503` is read by `parseFault`. */
  readonly faults?: readonly (Fault | string)[];
  /** The initial stubs, also after a reset: responses to requests that no operation matches; none by default. */
  readonly stubs?: readonly Stub[];
  /** The scenarios to apply at the start, in this order, also after a reset; none by default. */
  readonly scenarios?: readonly ScenarioName[];
  /** Sends webhook deliveries; by default the global fetch, looked up at each delivery. */
  readonly fetch?: typeof globalThis.fetch;
  /** URL to deliver all webhooks to, instead of the destinations' own; those to the built-in inbox still go there. */
  readonly forwardWebhooks?: string;
  /** Whether to serve the control plane under `/_control/v1`; false by default. */
  readonly controlPlane?: boolean;
  /**
   * Keeps the state beyond the end of the process; by default it is in memory only. What the store holds comes back: seed,
   * clock, policies, faults, stubs and scenarios have no effect then, until a reset.
   */
  readonly store?: SandboxStore;
  /**
   * The source of real time; the system's clock by default.
   *
   * @internal
   */
  readonly wall?: WallClock;
  /** The name that faults for one sandbox give it; `default` by default. */
  readonly name?: string;
  /**
   * Answers requests that no operation and no stub matches; by default they are answered 404.
   *
   * @internal
   */
  readonly elsewhere?: AskElsewhere;
}

// The seed, policies, faults and stubs are validated where they are applied.
const objectWith = (...functions: readonly [string, string, ...string[]]) =>
  z.custom<Readonly<Record<string, unknown>>>(
    (value) => functions.every((name) => typeof Object(value)[name] === "function"),
    `must have the functions ${functions.slice(0, -1).join(", ")} and ${functions.at(-1)}`,
  );

const optionsSchema = z.strictObject({
  seed: z.unknown().optional(),
  now: z
    .union([z.number(), z.string(), z.date()], "must be milliseconds since the epoch, a Date or an ISO 8601 timestamp")
    .optional(),
  clock: z.enum(["frozen", "flowing"]).optional(),
  clockRate: z.number().optional(),
  prng: z.int().optional(),
  policies: z.unknown().optional(),
  faults: z.array(z.unknown()).optional(),
  stubs: z.array(z.unknown()).optional(),
  scenarios: z.array(z.unknown()).optional(),
  fetch: z.custom((value) => typeof value === "function", "must be a function").optional(),
  forwardWebhooks: z
    .custom((value) => typeof value === "string" && isWebAddress(value), "must be an http or https URL")
    .optional(),
  controlPlane: z.boolean().optional(),
  store: objectWith("load", "commit", "close").optional(),
  wall: objectWith("now", "after").optional(),
  name: z.string().optional(),
  elsewhere: z.custom((value) => typeof value === "function", "must be a function").optional(),
});

/** Throws InputError naming the invalid option. */
export function checkBackendOptions(options: BackendOptions): void {
  checkInput(optionsSchema, options);
}
