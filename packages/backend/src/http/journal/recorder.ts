import type { JournalEntry } from "../../generated/models.gen.ts";
import type { Events } from "../../model/events.ts";
import type { World } from "../../model/state.ts";
import type { Keeper } from "../../model/state-writer.ts";
import { forLog } from "../../utils/redact.ts";
import type { Exchange } from "./exchange.ts";
import type { WritableJournal } from "./journal.ts";
import type { RecordedExchange } from "./journal-detail.ts";

/** A request that something in front of the backend answered, such as a server that refused it. */
export interface RecordedRequest extends Exchange {
  /** The HTTP method. */
  readonly method: string;
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** The error code of the response. */
  readonly code?: string;
  /** The id that the response names; a new one by default. */
  readonly requestId?: string;
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number;
  /** What decided the response, and why. */
  readonly decidedBy: JournalEntry["decidedBy"];
}

/** Records a request, and returns its journal entry. */
export type Recorder = (entry: Omit<JournalEntry, "id">, exchange: RecordedExchange) => JournalEntry;

/** Creates a function that records a request in the journal and announces it to the followers of the events. */
export function createRecorder(journal: WritableJournal, events: Events, keeper?: Keeper): Recorder {
  return (entry, exchange) => {
    const added = journal.add(entry, exchange);
    keeper?.plan("soon");
    events.emit("request", () => ({ ...journal.shown(added), id: String(added.id) }));
    return added;
  };
}

/** The journal entry of a request that something in front of the backend answered. */
export function entryOf(request: RecordedRequest, { clock }: Pick<World, "clock">): Omit<JournalEntry, "id"> {
  const { method, url, status, code, requestId, durationMs, decidedBy } = request;
  const { detail } = decidedBy;
  return {
    at: clock.iso(),
    method,
    path: forLog(url.pathname),
    status,
    ...(code !== undefined && { code }),
    requestId: requestId ?? crypto.randomUUID(),
    durationMs,
    decidedBy: { ...decidedBy, ...(detail !== undefined && { detail: forLog(detail) }) },
  };
}
