// Entry point for tests in one process: the reference backend, so that a project installs one package for its tests.
export * from "@call-transfer/backend";
