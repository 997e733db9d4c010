// The parts of a snapshot that the checks read.
import type { Snapshot, TransferRecord } from "@call-transfer/backend";
import type { TimerPurpose } from "@call-transfer/backend/unstable";
import type { GroupInput } from "../history.ts";

interface Owned {
  readonly id: string;
  readonly accountId: string;
}

export interface StoredCall extends Owned {
  readonly status: string;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly request: { readonly toNumber: string };
}

export interface StoredMember extends Owned {
  readonly availability: { readonly status: string; readonly until?: string | null };
  readonly hours?: { readonly monday: readonly { readonly from: string }[] };
}

export interface StoredDestination extends Owned {
  readonly signingSecret: string;
  readonly previousSecret?: string;
  readonly previousSecretExpiresAt?: string;
  readonly updatedAt: string;
}

/** A sandbox at a moment. */
export interface SandboxState {
  readonly now: number;
  readonly mode: string;
  readonly rate: number | undefined;
  readonly policies: Readonly<Record<string, unknown>>;
  readonly calls: readonly StoredCall[];
  readonly groups: readonly (Owned & GroupInput)[];
  readonly members: readonly StoredMember[];
  readonly destinations: readonly StoredDestination[];
  readonly apiKeys: readonly (Owned & { readonly key: string })[];
  readonly transfers: readonly TransferRecord[];
  readonly timers: readonly (TimerPurpose & { readonly at: number })[];
}

/** Reads a snapshot. */
export function stateOf({ now, mode, rate, policies, seed, transfers, timers }: Snapshot): SandboxState {
  return {
    ...(seed as Pick<SandboxState, "calls" | "groups" | "members" | "destinations" | "apiKeys">),
    now,
    mode,
    rate,
    policies,
    transfers,
    timers,
  };
}
