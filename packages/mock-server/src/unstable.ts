// Entry point for the parts of the backend that may change in any release (docs/decisions/0006).
export * from "@call-transfer/backend/unstable";
