// A Vitest pool that keeps its thread for the next mutant. Starting a thread and loading the modules would take most of a
// run's time: about a second for each of thousands of mutants.
import {
  type PoolOptions,
  type PoolWorker,
  type TestProject,
  ThreadsPoolWorker,
  type WorkerRequest,
} from "vitest/node";

/** Runs after which a thread is replaced, since it keeps what mutants left behind. */
const mostRuns = 50;

/** A test that takes longer hangs. The first run, which records coverage, takes several times as long as others. */
const longestTestMs = 5000;

interface Kept {
  readonly thread: ThreadsPoolWorker;
  runs: number;
}
let kept: Kept | undefined;

/** A mutant in code that runs on import takes effect only in a thread that has imported nothing. */
const needsFreshThread = (project: TestProject): boolean => {
  const { mode, mutantActivation } = project.getProvidedContext();
  return mode !== "mutant" || mutantActivation === "static";
};

type Listener = Parameters<PoolWorker["on"]>[1];

class KeptWorker implements PoolWorker {
  readonly name = "kept";
  readonly #options: PoolOptions;
  readonly #listeners: [event: string, listener: Listener][] = [];
  #current: Kept | undefined;
  #isReusable = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#current) return;
    if (kept === undefined || kept.runs >= mostRuns || needsFreshThread(this.#options.project)) {
      await discard();
      kept = { thread: new ThreadsPoolWorker(this.#options), runs: 0 };
      await kept.thread.start();
    }
    kept.runs += 1;
    this.#current = kept;
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#current?.thread.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#current?.thread.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type === "start") {
      anchorPattern(message.context.config);
      if (this.#options.project.getProvidedContext().mode === "mutant") {
        message.context.config.testTimeout = longestTestMs;
        // Only the first run reports where tests are. To find the place takes as long as to load the test.
        message.context.config.includeTaskLocation = false;
      }
    }
    if (message.type !== "stop") {
      this.#current?.thread.send(message);
      return;
    }
    const { project } = this.#options;
    this.#isReusable = !needsFreshThread(project) && project.vitest.state.errorsSet.size === 0;
    const stopped = { type: "stopped", __vitest_worker_response__: true };
    for (const [event, listener] of this.#listeners) if (event === "message") queueMicrotask(() => listener(stopped));
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.off(event, listener);
    if (!this.#isReusable) await discard();
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}

/** StrykerJS selects tests by the end of their names. With a thousand names, this takes longer than the tests themselves. */
function anchorPattern(config: { testNamePattern?: RegExp | undefined }): void {
  const { testNamePattern } = config;
  if (testNamePattern && !testNamePattern.source.startsWith("^"))
    config.testNamePattern = new RegExp(`^\\s*${testNamePattern.source}`);
}

async function discard(): Promise<void> {
  const last = kept;
  kept = undefined;
  await last?.thread.stop();
}

/** A Vite plugin that runs the tests in kept threads. StrykerJS overrides the configuration's pool, so a hook sets it. */
export const keptWorkers = {
  name: "kept-workers",
  configureVitest({ project }: { readonly project: TestProject }): void {
    project.config.pool = "kept";
    project.config.poolRunner = { name: "kept", createPoolWorker: (options) => new KeptWorker(options) };
    project.vitest.onClose(discard);
    // StrykerJS names the file of each test. Vitest would look for a file as often as it is named.
    const start = project.vitest.start.bind(project.vitest);
    project.vitest.start = (files) => start(files && [...new Set(files)]);
  },
};
