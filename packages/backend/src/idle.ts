/** Tracks how long named things have been unused. */
export interface IdleWatch {
  /** Marks a thing as in use until the returned function is called. Uses may overlap. */
  begin(name: string): () => void;
  forget(name: string): void;
  /** Lists the things that have been unused for at least the limit. */
  expired(): readonly string[];
}

/** Creates a watch; `now` returns milliseconds. Without a limit nothing expires. */
export function createIdleWatch(limitMs: number | undefined, now: () => number): IdleWatch {
  const uses = new Map<string, number>();
  // Ordered by the end of the last use.
  const idleSince = new Map<string, number>();
  return {
    begin(name) {
      uses.set(name, (uses.get(name) ?? 0) + 1);
      idleSince.delete(name);
      let isOver = false;
      return () => {
        const count = uses.get(name);
        if (isOver || count === undefined) return;
        isOver = true;
        uses.set(name, count - 1);
        if (count === 1) idleSince.set(name, now());
      };
    },
    forget(name) {
      uses.delete(name);
      idleSince.delete(name);
    },
    expired() {
      if (limitMs === undefined) return [];
      const names: string[] = [];
      for (const [name, since] of idleSince) {
        if (now() - since < limitMs) break;
        names.push(name);
      }
      return names;
    },
  };
}
