import type { IncomingRequest } from "./transport/transport.ts";

/** The answer of another server. */
export interface ForeignAnswer {
  /** What the client gets. */
  readonly response: Response;
  /** The body as a text, for the journal; absent if it is no text, or too long to keep. */
  readonly text?: string | undefined;
  /** Which server answered, or why it did not: a sentence for the journal and the log. */
  readonly detail: string;
}

/** Passes on a request that no operation and no stub matches. Never rejects. */
export type AskElsewhere = (request: IncomingRequest, url: URL) => Promise<ForeignAnswer>;
