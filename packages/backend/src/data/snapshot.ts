import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { checkRate, parseTime } from "../model/clock.ts";
import { checkPolicies, defaultPolicies } from "../model/policies.ts";
import { type TransferRecord, time, transferSchema } from "../model/records.ts";
import { clearState, createState } from "../model/state.ts";
import { callEndTimer, isRestorable } from "../model/timer-queue.ts";
import { scheduleCallEnd } from "../platform/calls.ts";
import { inboxResponseSchema } from "../platform/inbox.ts";
import { withCanonicalIds } from "../utils/ids.ts";
import { checkInput, InputError, withPathPrefix } from "../utils/input-error.ts";
import { isObject } from "../utils/values.ts";
import { asSeed } from "./collections.ts";
import type { Core } from "./load-sandbox.ts";
import { checkSeed, insert } from "./load-seed.ts";

const version = 1;
const purpose = { kind: z.string(), id: z.string(), index: z.int().exactOptional() };

const faultsSchema = z.strictObject({ last: z.int(), waiting: z.array(z.looseObject({ id: z.string() })) });

const snapshotSchema = z.strictObject({
  version: z.literal(version),
  now: time,
  mode: z.enum(["frozen", "running"]),
  rate: z.number(),
  /** Positions of the random generators by name. */
  random: z.record(z.string(), z.int()),
  tokenSecret: z.string().regex(/^([0-9a-f]{2})+$/),
  policies: z.record(z.string(), z.unknown()),
  seed: z.record(z.string(), z.unknown()),
  windows: z.array(z.strictObject({ credential: z.string(), from: time, count: z.int() })),
  transfers: z.array<z.ZodType<TransferRecord>>(transferSchema),
  timers: z.array(z.strictObject({ at: time, ...purpose })),
  faults: faultsSchema,
  stubs: faultsSchema,
  inbox: inboxResponseSchema,
});

/**
 * Everything that determines how a backend continues, as JSON. Contains secrets. The request log, deliveries and work that sleeps on the
 * clock are not included.
 */
export type Snapshot = z.output<typeof snapshotSchema>;

/** Takes a snapshot of a backend. */
export function takeSnapshot({ backend, generators, tokens, faults, stubs, inbox }: Core): Snapshot {
  const { state, clock, policies } = backend;
  return structuredClone({
    version,
    now: clock.now(),
    mode: clock.mode,
    rate: clock.rate,
    random: Object.fromEntries(Object.entries(generators.sequences).map(([name, { position }]) => [name, position])),
    tokenSecret: bytesToHex(tokens.secret),
    policies: { ...policies },
    seed: asSeed(state),
    windows: [...state.windows].map(([credential, window]) => ({ credential, ...window })),
    transfers: [...state.transfers.values()],
    timers: clock.timers().filter(({ kind }) => isRestorable(kind)),
    faults: JSON.parse(JSON.stringify(faults.keep())),
    stubs: JSON.parse(JSON.stringify(stubs.keep())),
    inbox: JSON.parse(JSON.stringify(inbox.response)),
  });
}

/** Throws InputError unless the input is a snapshot of this version. */
function checkVersion(input: unknown): void {
  const given = isObject(input) ? input.version : undefined;
  if (given === version) return;
  throw new InputError(
    "version",
    given === undefined
      ? "is missing, so this is no snapshot. Load a seed as a seed."
      : `must be ${version}, not ${JSON.stringify(given)}. Take the snapshot again, with a server of this version.`,
  );
}

/** Restores a backend from a snapshot. Everything is checked first; throws InputError that names the bad field. */
export function restoreSnapshot(
  { backend, generators, tokens, faults, stubs, inbox, transfers }: Core,
  input: unknown,
): void {
  const { state, clock, policies } = backend;
  checkVersion(input);
  const given = structuredClone(checkInput(snapshotSchema, input));
  // Faults and stubs hold texts of requests and responses, which stay as they are.
  const snapshot = { ...withCanonicalIds(given), faults: given.faults, stubs: given.stubs };
  withPathPrefix("policies", () => checkPolicies(snapshot.policies));
  const seed = withPathPrefix("seed", () => checkSeed(snapshot.seed, createState(), snapshot.now));
  for (const [index, { kind }] of snapshot.timers.entries())
    if (!isRestorable(kind)) throw new InputError(`timers[${index}].kind`, `unknown kind of timer: ${kind}`);
  parseTime("now", snapshot.now);
  const rate = checkRate("rate", snapshot.rate);
  const restoreStubs = stubs.prepare(snapshot.stubs);
  faults.restore(snapshot.faults);
  restoreStubs();

  clearState(state);
  clock.reset();
  clock.set({ now: snapshot.now, mode: snapshot.mode, rate });
  // An older snapshot lacks newer policies, which keep their defaults.
  Object.assign(policies, defaultPolicies(), snapshot.policies);
  insert(seed, backend);
  for (const { credential, ...window } of snapshot.windows) state.windows.set(credential, window);
  for (const transfer of snapshot.transfers) state.transfers.set(transfer.id, transfer);
  for (const { at, ...about } of snapshot.timers)
    if (about.kind === callEndTimer) scheduleCallEnd(backend, about.id, at);
    else transfers.schedule(at, about);
  inbox.clear();
  inbox.response = snapshot.inbox;
  tokens.secret = hexToBytes(snapshot.tokenSecret);
  if (generators.isDrawn) return;
  for (const [name, random] of Object.entries(generators.sequences))
    random.position = snapshot.random[name] ?? random.position;
}
