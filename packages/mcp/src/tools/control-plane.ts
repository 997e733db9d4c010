import type { DocumentedOperation, RequestParts } from "@call-transfer/backend/unstable";

/** A mock's control plane. */
export interface ControlPlane {
  /** Its operations, as the mock describes them. */
  readonly operations: ReadonlyMap<string, DocumentedOperation>;
  /**
   * Calls an operation. Returns undefined where the answer has no body.
   *
   * @throws The mock refused the request or did not answer.
   */
  call(operation: DocumentedOperation, parts: Partial<RequestParts>, signal?: AbortSignal): Promise<unknown>;
}
