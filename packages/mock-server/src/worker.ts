// Entry point for Cloudflare Workers: a mock server whose sandboxes are Durable Objects.
import { InputError } from "@call-transfer/backend";
import { errorMessage, errorResponse } from "@call-transfer/backend/unstable";
import { serve } from "./worker/front.ts";
import type { WorkerEnv } from "./worker/platform.ts";

export { SandboxDirectory } from "./worker/directory.ts";
export type { Fetcher, ObjectNamespace, ObjectState, ObjectStorage, SqlStorage, WorkerEnv } from "./worker/platform.ts";
export { Sandbox } from "./worker/sandbox.ts";

/** The Worker. Export it by default, together with the classes `Sandbox` and `SandboxDirectory`. */
const worker = {
  /** Responds to a request: to the API, the control plane or the inspector. */
  async fetch(request: Request, env: WorkerEnv): Promise<Response> {
    try {
      return await serve(request, env);
    } catch (error) {
      const detail =
        error instanceof InputError
          ? `The Worker's setting ${error.message}. Correct it and deploy again.`
          : `The Worker failed: ${errorMessage(error)}`;
      return errorResponse("internal_error", detail);
    }
  },
};

// biome-ignore lint/style/noDefaultExport: the runtime calls the default export of a Worker
export { worker as default };
