/** Knows how long each of several named things has been out of use. */
export interface IdleWatch {
  /** Something is in use until the answered function is called; uses may overlap. */
  begin(name: string): () => void;
  forget(name: string): void;
  /** The names that have been out of use for too long. */
  expired(): readonly string[];
}

/** Creates a watch by some clock, in milliseconds; without a limit nothing expires. */
export function createIdleWatch(limitMs: number | undefined, now: () => number): IdleWatch {
  const uses = new Map<string, number>();
  // In the order in which their last use ended.
  const resting = new Map<string, number>();
  return {
    begin(name) {
      uses.set(name, (uses.get(name) ?? 0) + 1);
      resting.delete(name);
      let isOver = false;
      return () => {
        const left = uses.get(name);
        if (isOver || left === undefined) return;
        isOver = true;
        uses.set(name, left - 1);
        if (left === 1) resting.set(name, now());
      };
    },
    forget(name) {
      uses.delete(name);
      resting.delete(name);
    },
    expired() {
      if (limitMs === undefined) return [];
      const names: string[] = [];
      for (const [name, since] of resting) {
        if (now() - since < limitMs) break;
        names.push(name);
      }
      return names;
    },
  };
}
