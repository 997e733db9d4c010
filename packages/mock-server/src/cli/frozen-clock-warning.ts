import type { Backend } from "@call-transfer/backend";
import { program } from "./program.ts";

/** Warns about responses that wait for a frozen clock, which looks like a server that hangs. */
export function frozenClockWarning({ clock, faults }: Pick<Backend, "clock" | "faults">): string | undefined {
  if (clock.mode !== "frozen") return undefined;
  const delays = faults.list().flatMap(({ do: action }) => {
    if (action === "slowBody") return ["a slow body"];
    return typeof action === "object" && "latency" in action && action.latency > 0
      ? [`a latency of ${action.latency} ms`]
      : [];
  });
  const [first] = delays;
  return (
    first &&
    `The clock is frozen, so requests with ${first} hang. Advance it with ${program} clock advance next, or start with --clock flowing.`
  );
}
