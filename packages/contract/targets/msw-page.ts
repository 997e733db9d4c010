// Runs in the browser: the suite and the mocked platform, with MSW's worker between them.
import { createSandboxRegistry } from "@call-transfer/backend";
import { callTransferHandlers } from "@call-transfer/backend/msw";
import { operations } from "@call-transfer/spec";
import { http } from "msw";
import { setupWorker } from "msw/browser";
import { cases } from "../src/cases/index.ts";
import { type CaseResult, runCase } from "../src/suite/run.ts";
import { mockedBackends, mockedUrl } from "./in-process.ts";

/** The functions of the page for the program that opened it. */
export interface MswPage {
  /** Runs the case with an index in the suite's list, in a fresh state. */
  runCase(index: number): Promise<CaseResult>;
  /** Opens the control plane's event stream, lists the roles, and returns the data of the first event of a type. */
  follow(type: string): Promise<string>;
}

const { given, open } = mockedBackends("msw-browser");
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
  follow(type) {
    handler = createSandboxRegistry();
    const events = new EventSource(`${mockedUrl}/_control/v1/events/stream`);
    return new Promise<string>((resolve, reject) => {
      events.addEventListener("open", () => fetch(mockedUrl + operations.listRoles.path).catch(reject));
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
