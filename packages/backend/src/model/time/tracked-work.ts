/** Work in flight. It is quiet when every part has settled or sleeps. */
export class TrackedWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #sleepers = new Set<() => void>();
  #notifyChange = (): void => {};

  track(work: Promise<unknown>): void {
    const settle = (): void => {
      this.#running.delete(settled);
      this.#notifyChange();
    };
    const settled: Promise<unknown> = work.then(settle, settle);
    this.#running.add(settled);
  }

  /** Begins a sleep, which lasts until `wake` is called. */
  sleep(): { readonly woken: Promise<void>; readonly wake: () => void } {
    let resolve = (): void => {};
    const woken = new Promise<void>((settle) => {
      resolve = settle;
    });
    const wake = (): void => {
      this.#sleepers.delete(wake);
      resolve();
    };
    this.#sleepers.add(wake);
    this.#notifyChange();
    return { woken, wake };
  }

  get isQuiet(): boolean {
    return this.#running.size <= this.#sleepers.size;
  }

  async quiet(): Promise<void> {
    while (!this.isQuiet)
      await new Promise<void>((resolve) => {
        this.#notifyChange = resolve;
      });
  }

  /** Forgets all work and wakes every sleeper. */
  clear(): void {
    this.#running.clear();
    this.#notifyChange();
    for (const wake of [...this.#sleepers]) wake();
  }
}
