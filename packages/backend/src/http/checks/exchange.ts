import type { OperationDescription, OperationId, operations } from "@call-transfer/spec";
import type { requestSchemas } from "@call-transfer/spec/schemas";
import type * as z from "zod";
import type { AccountRecord } from "../../model/records.ts";
import type { World } from "../../model/state.ts";
import type { Answer } from "../../utils/problem.ts";
import type { Caller } from "./authenticate.ts";

/** A request that passed the checks common to all operations. */
export interface AnyExchange extends World {
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
