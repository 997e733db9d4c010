import type { OperationDescription, OperationId, operations } from "@call-transfer/spec";
import type { requestSchemas } from "@call-transfer/spec/schemas";
import type * as z from "zod";
import type { FaultQueue } from "../faults/faults.ts";
import type { AccountRecord } from "../model/records.ts";
import type { BackendState } from "../model/state.ts";
import type { Answer } from "../utils/problem.ts";
import type { Caller, Tokens } from "./authenticate.ts";
import type { OperationTable } from "./router.ts";
import type { ActiveStub, StubTable } from "./stubs.ts";
import type { IncomingRequest } from "./transport.ts";

/** The answer of another server. */
export interface ForeignAnswer {
  /** What the client gets. */
  readonly response: Response;
  /** The body as a text, for the request log; absent if it is no text, or too long to keep. */
  readonly text?: string | undefined;
  /** Which server answered, or why it did not: a sentence for the request log and the log. */
  readonly detail: string;
}

/** Passes on a request that no operation and no stub matches. Never rejects. */
export type AskElsewhere = (request: IncomingRequest, url: URL) => Promise<ForeignAnswer>;

/** A request that passed the checks common to all operations. */
export interface AnyExchange extends BackendState {
  readonly operation: OperationDescription;
  readonly caller: Caller;
  /** The selected account; undefined unless the operation is scoped to an account. */
  readonly account: AccountRecord | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

type Input<Id extends OperationId, Part extends string> =
  (typeof requestSchemas)[Id] extends Record<Part, infer Schema extends z.ZodObject> ? Filled<Schema> : undefined;

/** The output of a schema with defaults applied, also in place of null. */
type Filled<Schema extends z.ZodObject> = {
  [Name in keyof z.output<Schema>]: Name extends keyof Schema["shape"]
    ? Schema["shape"][Name] extends z.ZodDefault
      ? NonNullable<z.output<Schema>[Name]>
      : z.output<Schema>[Name]
    : z.output<Schema>[Name];
};

/** A request with the types of its operation. */
export interface Exchange<Id extends OperationId> extends AnyExchange {
  readonly account: (typeof operations)[Id]["accountScoped"] extends true ? AccountRecord : undefined;
  readonly params: Readonly<Record<(typeof operations)[Id]["pathParameters"][number], string>>;
  readonly query: Input<Id, "query">;
  readonly body: Input<Id, "body">;
}

/** A handler of any operation. It gets only exchanges that passed the checks of its operation. */
export type AnyHandler = (exchange: AnyExchange) => Answer;
export type Handlers = { readonly [Id in OperationId]?: (exchange: Exchange<Id>) => Answer };

/** The parts of a backend that respond to requests. */
export interface Dispatcher {
  readonly backend: BackendState;
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
  /** Records the request body for the request log. */
  readonly recordBody: (value: unknown, bytes: number) => void;
}

/** The largest body that the request log records, in bytes. */
export const maxRecordedBytes = 16_384;
