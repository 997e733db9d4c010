// The virtual environment that holds Schemathesis, in .cache/.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment } from "../../scripts/python.ts";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** Installs Schemathesis, unless the cache has it, and returns the path of its command. */
export const ensureSchemathesis = (): string => join(ensureEnvironment("schemathesis", requirements), "schemathesis");
