/** The name of the Python client in changesets and records. Its package.json is private. */
export const pythonPackage = "@call-transfer/python";

/** Its name at PyPI. */
export const pythonClient = "call-transfer";

/** A version as Python writes it: 2.0.0-next.1 is 2.0.0.dev1. */
export const pythonVersion = (version: string): string => version.replace(/-.*?(\d+)$/, ".dev$1");
