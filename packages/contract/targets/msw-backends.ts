import { type Backend, createBackend } from "@call-transfer/backend";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";
import type { OpenTarget } from "./runner.ts";

/** The URL of the mocked platform, which does not exist. */
export const mockedUrl = "https://platform.invalid";

/** Handlers whose backend can be replaced for each case. */
export function mockedBackends(name: string): {
  /** Creates the handlers, without the warnings that the suite's faults cause. */
  readonly given: { backend: Pick<Backend, "handle">; baseUrl: string; warn(): void };
  open(): Promise<OpenTarget>;
} {
  let current: Backend | undefined;
  return {
    given: {
      backend: {
        handle(request, peer) {
          if (current === undefined) throw new Error("A request was sent between two cases");
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
        // Looked up at each request, because MSW replaces it when it starts.
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
