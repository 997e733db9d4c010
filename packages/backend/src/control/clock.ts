import type { BackendControls } from "../testing/controls.ts";
import type { ControlHandlers } from "./exchange.ts";
import type { SuccessBody } from "./reply.ts";

const maxUpcoming = 1000;

export const clockHandlers = {
  getClock: ({ backend }) => formatClock(backend),
  setClock({ backend, body: { now, mode } }) {
    backend.clock.set({ ...(now !== undefined && { now }), ...(mode !== undefined && { mode }) });
    return formatClock(backend);
  },
  async advanceClock({ backend, body }) {
    const effects = await backend.advance(body);
    return { ...formatClock(backend), effects };
  },
} satisfies Partial<ControlHandlers>;

function formatClock({ clock, upcoming }: BackendControls): SuccessBody<"getClock"> {
  return {
    now: clock.iso(),
    mode: clock.mode,
    pending: clock.pending,
    upcoming: upcoming()
      .slice(0, maxUpcoming)
      .map(({ at, kind, id }) => ({ at: new Date(at).toISOString(), kind, id })),
  };
}
