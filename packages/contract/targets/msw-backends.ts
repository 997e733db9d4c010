import { type Backend, createBackend } from "@call-transfer/backend";
import type { OpenTarget } from "../src/suite/runner.ts";
import { start, world } from "../src/suite/world.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";

/** Where the mocked platform seems to be: an address that nobody has. */
export const mockedUrl = "https://platform.invalid";

/** One backend after the other behind handlers that stay the same, as a page or a process has them. */
export function mockedBackends(name: string): {
  /** What the handlers are made from; the warnings that the suite's faults bring about are left out. */
  readonly given: { backend: Pick<Backend, "handle">; baseUrl: string; warn(): void };
  open(): Promise<OpenTarget>;
} {
  let current: Backend | undefined;
  return {
    given: {
      backend: {
        handle(request, peer) {
          if (current === undefined) throw new Error("A request came between two cases");
          return current.handle(request, peer);
        },
      },
      baseUrl: mockedUrl,
      warn: () => {},
    },
    async open() {
      const { received, fetch } = createReceiver();
      current = createBackend({ seed: structuredClone(world), now: start, fetch });
      const target = backendTarget(name, current, received, {
        baseUrl: mockedUrl,
        // Looked up at each request: MSW puts its own in place when it starts.
        fetch: (input, init) => globalThis.fetch(input, init),
      });
      return {
        target,
        close: async () => {
          current = undefined;
        },
      };
    },
  };
}
