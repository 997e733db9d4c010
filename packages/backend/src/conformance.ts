// Entry point for testing stores of sandboxes: cases for every rule of SandboxStore and SandboxStores, for any test runner.

export { memoryStores } from "./conformance/memory-stores.ts";
export { type OpenSandboxStore, type SandboxStoreCase, sandboxStoreCases } from "./conformance/sandbox-store-cases.ts";
export {
  type OpenSandboxStores,
  type SandboxStoresCase,
  sandboxStoresCases,
} from "./conformance/sandbox-stores-cases.ts";
export type { RowChange, SandboxStore, SandboxStores, StoredRow, StoredSandbox } from "./model/store.ts";
