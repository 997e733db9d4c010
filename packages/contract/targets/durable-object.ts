import { sandboxesAt } from "./address.ts";
import { withSharedSetup } from "./runner.ts";
import { controlToken, startWorkerd } from "./workerd.ts";

const name = "durable-object";

/** The hosted mock server, whose sandboxes are Durable Objects, in Cloudflare's runtime. Each case has its own sandbox. */
export const durableObject = withSharedSetup(name, async () => {
  const { url, stop } = await startWorkerd();
  return { ...sandboxesAt(name, url, controlToken), stop };
});
