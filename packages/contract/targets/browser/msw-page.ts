// Runs in the browser: the suite and the mocked platform, with MSW's worker between them.
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
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response as plain values, with the exact body bytes. */
export interface BytesAnswer {
  readonly status: number;
  readonly bytes: readonly number[];
}

/** The functions of the page for the program that opened it. */
export interface MswPage {
  /** Runs the case with an index in the suite's list, in a fresh state. */
  runCase(index: number): Promise<CaseResult>;
  /** Mocks a platform with sandboxes at the paths of a mock server. */
  useSandboxes(): void;
  /** Sends a request from the page. */
  send(request: PlainRequest): Promise<BytesAnswer>;
  /** Opens the control plane's event stream, sends a request, and returns the data of the first event of a type. */
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
    const events = new EventSource(`${mockedUrl}/_control/v1/events/stream`);
    return new Promise<string>((resolve, reject) => {
      events.addEventListener("open", () => page.send(request).catch(reject));
      events.addEventListener("error", () => reject(new Error("The event stream failed")));
      events.onmessage = ({ data }) => {
        if (JSON.parse(data).type === type) resolve(data);
      };
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
