/** The name of the Python client in changesets and records; at PyPI it is call-transfer. Its package.json is private. */
export const pythonPackage = "@call-transfer/python";
