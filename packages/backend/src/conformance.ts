// Entry point for testing stores of sandboxes: cases for every rule of SandboxStore and SandboxStores, for any test runner.
export type { RowChange, SandboxStore, SandboxStores, StoredRow, StoredSandbox } from "./model/store.ts";
export { memoryStores } from "./testing/memory-stores.ts";
export { type OpenSandboxStore, type SandboxStoreCase, sandboxStoreCases } from "./testing/sandbox-store-cases.ts";
export { type OpenSandboxStores, type SandboxStoresCase, sandboxStoresCases } from "./testing/sandbox-stores-cases.ts";
