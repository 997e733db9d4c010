// Entry point for TanStack Query. It loads nothing of TanStack Query itself.
export {
  type ClientKey,
  type ClientKeyPrefix,
  type KeyInput,
  type OperationInfiniteQueryOptions,
  type OperationKey,
  type OperationMutationOptions,
  type OperationQueryOptions,
  queryKeyPrefix,
} from "./query/options.ts";
export * from "./query/queries.gen.ts";
