// A kind of release, and the names of the packages in it.
import type { Expectation, Versions } from "./expectation.ts";
import type { Rehearsal } from "./rehearsal.ts";

/** A kind of release. */
export interface Kind {
  /** A word for the command line. */
  readonly name: string;
  readonly does: string;
  /** Goes through the release. Returns what must hold afterwards. */
  run(rehearsal: Rehearsal): Promise<Expectation> | Expectation;
}

export const [spec, sdk, mock, backend, contract, mcp] = [
  "@call-transfer/spec",
  "@call-transfer/sdk",
  "@call-transfer/mock-server",
  "@call-transfer/backend",
  "@call-transfer/contract",
  "@call-transfer/mcp",
] as const;

/** Versions of spec, sdk, mock-server, backend, contract and mcp, in this order. */
export function versionsOf(versions: string): Versions {
  const listed = versions.split(" ");
  return Object.fromEntries(
    [spec, sdk, mock, backend, contract, mcp].map((name, index) => [name, listed[index] ?? ""]),
  );
}
