import type { Backend } from "@call-transfer/backend";
import { program } from "../cli/program.ts";

/** Warns where answers wait for a clock that nobody moves, which looks like a server that hangs. */
export function standstill({ clock, faults }: Pick<Backend, "clock" | "faults">): string | undefined {
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
    `The clock is frozen, so requests with ${first} wait until it is moved. Move it with ${program} clock advance next, or start with --clock flowing.`
  );
}
