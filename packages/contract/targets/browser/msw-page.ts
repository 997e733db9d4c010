// What runs in the browser: the suite and the platform that it asks, with MSW's worker between the two.
import { createSandboxes } from "@call-transfer/backend";
import { callTransferHandlers } from "@call-transfer/backend/msw";
import { http } from "msw";
import { setupWorker } from "msw/browser";
import { cases } from "../../src/cases/index.ts";
import { type CaseResult, runCase } from "../../src/suite/run.ts";
import { mockedBackends, mockedUrl } from "../msw-backends.ts";

/** A request as plain values. */
export interface PlainRequest {
  readonly method: string;
  /** Address without the base. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer as plain values, its body byte for byte. */
export interface BytesAnswer {
  readonly status: number;
  readonly bytes: readonly number[];
}

/** What the page offers to the program that opened it. */
export interface MswPage {
  /** Runs the case at a place of the suite's list in a fresh state. */
  runCase(index: number): Promise<CaseResult>;
  /** Puts a mock platform with sandboxes in place, where a mock server has them. */
  useSandboxes(): void;
  /** Sends a request as any script of a page does. */
  send(request: PlainRequest): Promise<BytesAnswer>;
  /** Follows the control plane's events, sends a request, and gives the data of the first event of this type. */
  follow(type: string, request: PlainRequest): Promise<string>;
}

const name = "msw-browser";
const { given, open } = mockedBackends(name);
let handler = given.backend;

const page: MswPage = {
  async runCase(index) {
    const contractCase = cases[index];
    if (contractCase === undefined) throw new RangeError(`The suite has no case ${index}`);
    handler = given.backend;
    const { target, close } = await open();
    const run = await runCase(contractCase, target);
    await close();
    return run;
  },
  useSandboxes() {
    handler = createSandboxes();
  },
  async send({ path, ...init }) {
    const response = await fetch(mockedUrl + path, init);
    return { status: response.status, bytes: [...new Uint8Array(await response.arrayBuffer())] };
  },
  follow(type, request) {
    const events = new EventSource(`${mockedUrl}/_control/v1/events`);
    return new Promise<string>((resolve, reject) => {
      events.addEventListener("open", () => page.send(request).catch(reject));
      events.addEventListener("error", () => reject(new Error("The events do not stream")));
      events.addEventListener(type, ({ data }) => resolve(String(data)));
    }).finally(() => events.close());
  },
};

const worker = setupWorker(
  ...callTransferHandlers({
    ...given,
    http,
    backend: { handle: (request, peer) => handler.handle(request, peer) },
  }),
);
await worker.start({ quiet: true, onUnhandledFrame: "error" });
Object.assign(globalThis, { page });
