// What a receiver process gets on its command line, as JSON.
import type { PlantName } from "./plants.ts";
import type { StoreName } from "./stores.ts";

export const secret = "whsec_crash-run";

/** Request header with the event's id. Only for the records. */
export const eventHeader = "x-event";
/** Response header of the request whose own handling the response shows. */
export const handledHeader = "x-handled-here";

export interface ProcessOptions {
  /** Name of this process, such as "1.3": the third one of receiver 1. */
  readonly name: string;
  readonly port: number;
  readonly storeUrl: string;
  readonly store: StoreName;
  readonly plant: PlantName | undefined;
  readonly onStoreError: "handle" | "reject";
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly storeTimeoutMs: number;
  readonly seed: number;
  /** File for the entries. */
  readonly entries: string;
}
