import type { Backend } from "../backend.ts";
import type { ControlHandlers } from "./control.ts";
import type { SuccessBody } from "./reply.ts";

const mostShown = 1000;

export const clockHandlers = {
  getClock: ({ backend }) => shownClock(backend),
  setClock({ backend, body: { now, mode } }) {
    backend.clock.set({ ...(now !== undefined && { now }), ...(mode !== undefined && { mode }) });
    return shownClock(backend);
  },
  async advanceClock({ backend, body }) {
    const effects = await backend.advance(body);
    return { ...shownClock(backend), effects };
  },
} satisfies Partial<ControlHandlers>;

function shownClock({ clock, upcoming }: Backend): SuccessBody<"getClock"> {
  return {
    now: clock.iso(),
    mode: clock.mode,
    pending: clock.pending,
    upcoming: upcoming()
      .slice(0, mostShown)
      .map(({ at, kind, id }) => ({ at: new Date(at).toISOString(), kind, id })),
  };
}
