import type { OperationDescription, OperationId, operations } from "@call-transfer/spec";
import type { requestSchemas } from "@call-transfer/spec/schemas";
import type { z } from "zod";
import type { Answer } from "../model/problem.ts";
import type { AccountRecord } from "../model/records.ts";
import type { World } from "../model/world.ts";
import type { Caller } from "./authenticate.ts";

/** A request that passed every check that is the same for all operations. */
export interface AnyExchange extends World {
  readonly operation: OperationDescription;
  readonly caller: Caller;
  /** The selected account, where the operation is scoped to one. */
  readonly account: AccountRecord | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

type Input<Id extends OperationId, Part extends string> =
  (typeof requestSchemas)[Id] extends Record<Part, infer Schema extends z.ZodObject> ? Filled<Schema> : undefined;

/** A schema's output with its defaults in place, also where null was sent. */
type Filled<Schema extends z.ZodObject> = {
  [Name in keyof z.output<Schema>]: Name extends keyof Schema["shape"]
    ? Schema["shape"][Name] extends z.ZodDefault
      ? NonNullable<z.output<Schema>[Name]>
      : z.output<Schema>[Name]
    : z.output<Schema>[Name];
};

/** The same, with the types that the contract gives one operation. */
export interface Exchange<Id extends OperationId> extends AnyExchange {
  readonly account: (typeof operations)[Id]["accountScoped"] extends true ? AccountRecord : undefined;
  readonly params: Readonly<Record<(typeof operations)[Id]["pathParameters"][number], string>>;
  readonly query: Input<Id, "query">;
  readonly body: Input<Id, "body">;
}

// Taken from a method, so that a handler of one operation fits where a handler of any is asked for.
export type Handler<Id extends OperationId> = { handle(exchange: Exchange<Id>): Answer }["handle"];
export type AnyHandler = { handle(exchange: AnyExchange): Answer }["handle"];
export type Handlers = { readonly [Id in OperationId]?: Handler<Id> };
