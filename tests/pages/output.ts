// Compares what a program printed with what a page shows.
import { expect } from "vitest";

/** Returns whether a program printed what a page shows. `…` stands for the rest of a line, and alone for any number of lines. */
export function matches(printed: string, shown: string): boolean {
  const escaped = shown.trim().replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = escaped.replace(/^ *…$/gm, "[\\s\\S]*?").replaceAll("…", "[^\\n]*?");
  return new RegExp(`^${pattern}$`).test(printed.trim());
}

/** Fails with both texts if they differ. */
export function expectOutput(place: string, printed: string, shown: string): void {
  if (!matches(printed, shown)) expect(`${place}\n${printed.trim()}`).toBe(`${place}\n${shown.trim()}`);
}
