import type { OperationDescription } from "@call-transfer/spec";
import type { FaultQueue } from "../faults/faults.ts";
import type { World } from "../model/state.ts";
import type { AnyHandler } from "./checks/exchange.ts";
import type { OperationTable } from "./checks/router.ts";
import type { Tokens } from "./checks/tokens.ts";
import type { AskElsewhere } from "./elsewhere.ts";
import type { ActiveStub, StubTable } from "./stubs/stubs.ts";
import type { IncomingRequest } from "./transport/transport.ts";

/** The parts of a backend that respond to requests. */
export interface Dispatcher {
  readonly world: World;
  readonly table: OperationTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly tokens: Tokens;
  readonly faults: Pick<FaultQueue, "asksForBody" | "match">;
  readonly stubs: Pick<StubTable, "candidates" | "nextResponse">;
  /** Answers what neither an operation nor a stub matches; without it, that is not found. */
  readonly elsewhere?: AskElsewhere | undefined;
  /** Makes an id for a stub. */
  readonly newId: () => string;
  /** Formats the header `Date`. */
  readonly formatDate: (at: number) => string;
}

/** A request to dispatch. */
export interface DispatchInput {
  readonly request: IncomingRequest;
  readonly url: URL;
  readonly requestId: string;
  /** The address of the client's end of the connection. */
  readonly peerAddress: string | undefined;
}

/** A routed request. */
export interface RoutedRequest extends DispatchInput {
  readonly operation: OperationDescription;
  readonly params: Readonly<Record<string, string>>;
  /** The stub that answers in place of an operation; `operation` is then what faults read of it. */
  readonly stub?: ActiveStub | undefined;
  /** Records the request body for the journal. */
  readonly recordBody: (value: unknown, bytes: number) => void;
}

/** The largest body that the journal records, in bytes. */
export const maxRecordedBytes = 16_384;
