// Entry point for tests and pages that mock the platform with MSW.
export * from "@call-transfer/backend/msw";
