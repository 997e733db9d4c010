import { describeOwnSandboxes } from "./own-sandboxes.ts";

describeOwnSandboxes();
