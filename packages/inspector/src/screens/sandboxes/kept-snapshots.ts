import { type Signal, signal } from "@preact/signals";
import type { Session } from "../../data/session/session.ts";

/** A snapshot that the page keeps in memory. It holds secrets, so it is not shown. */
export interface KeptSnapshot {
  readonly number: number;
  readonly sandbox: string;
  /** The time of the sandbox's clock, in milliseconds. */
  readonly at: number;
  readonly text: string;
}

const kept = new WeakMap<Session, Signal<readonly KeptSnapshot[]>>();

/** The snapshots that the page of a session keeps until it is closed, latest first. */
export function keptSnapshots(session: Session): Signal<readonly KeptSnapshot[]> {
  const found = kept.get(session) ?? signal<readonly KeptSnapshot[]>([]);
  kept.set(session, found);
  return found;
}
