import type { BackendEvent } from "@call-transfer/backend";
import type { StreamState } from "./source.ts";

/** A message of a tab to the worker. A tab follows one sandbox at a time. */
export type ToWorker =
  | {
      readonly type: "follow";
      readonly baseUrl: string;
      readonly sandbox: string;
      readonly token: string | undefined;
    }
  | { readonly type: "leave" };

/** A message of the worker to a tab. */
export type ToTab =
  | { readonly type: "events"; readonly events: readonly BackendEvent[] }
  | { readonly type: "state"; readonly state: StreamState }
  | { readonly type: "token"; readonly token: string };
