// Holds all clients while the server is checked.

export interface Gate {
  /** Waits until the gate is open. False once the run is over. */
  pass(): Promise<boolean>;
  /** Lets no client pass any more. */
  close(): void;
  /** Lets the clients pass. */
  open(): void;
  /** Waits until every client waits at the gate, or has ended. */
  allWait(): Promise<void>;
  /** Ends the run for all clients. */
  end(): void;
}

/** Creates a closed gate. */
export function createGate(clients: number): Gate {
  let state: "open" | "closed" | "over" = "closed";
  let waiting: (() => void)[] = [];
  let arrived = (): void => {};
  const release = (next: typeof state): void => {
    state = next;
    const released = waiting;
    waiting = [];
    for (const go of released) go();
  };
  return {
    async pass() {
      while (state === "closed") {
        await new Promise<void>((go) => {
          waiting.push(go);
          if (waiting.length === clients) arrived();
        });
      }
      return state === "open";
    },
    close() {
      state = "closed";
    },
    open: () => release("open"),
    end: () => release("over"),
    allWait: () =>
      new Promise((resolve) => {
        arrived = resolve;
        if (waiting.length === clients) resolve();
      }),
  };
}
