// Entry point for TanStack Query. It loads nothing of TanStack Query itself.
export {
  type ClientKey,
  type ClientKeyPrefix,
  type KeyInput,
  keyPrefix,
  type OperationInfiniteQueryOptions,
  type OperationKey,
  type OperationMutationOptions,
  type OperationQueryOptions,
} from "./query/options.ts";
export * from "./query/queries.gen.ts";
