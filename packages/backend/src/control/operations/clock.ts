import { shownTimer } from "../../model/change-log.ts";
import { omitUndefined } from "../../utils/values.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import type { SuccessBody } from "../parts/reply.ts";

const maxUpcoming = 1000;

export const clockHandlers = {
  getClock: ({ backend }) => formatClock(backend),
  setClock({ backend, body }) {
    backend.clock.set(omitUndefined(body));
    return formatClock(backend);
  },
  async advanceClock({ backend, body }) {
    const effects = await backend.advance(body);
    return { ...formatClock(backend), effects };
  },
} satisfies Partial<ControlHandlers>;

function formatClock({ clock, upcoming }: BackendControls): SuccessBody<"getClock"> {
  const all = upcoming();
  return {
    now: clock.iso(),
    mode: clock.mode,
    rate: clock.rate,
    pending: clock.pending,
    upcoming: all
      .slice(0, maxUpcoming)
      .map(({ at, ...timer }) => ({ at: new Date(at).toISOString(), ...shownTimer(timer) })),
    upcomingCount: all.length,
  };
}
