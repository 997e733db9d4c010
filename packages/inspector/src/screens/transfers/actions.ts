import { act } from "../../data/session/act.ts";
import type { Session } from "../../data/session/session.ts";
import { type NameOf, type Ring, ringName, type Transfer } from "./layout.ts";

/** What the buttons of a transfer do. */
export interface TransferActions {
  answer(ring: Ring): Promise<void>;
  decline(ring: Ring): Promise<void>;
  /** Advances the clock to the end of a ring. */
  letRing(until: string): Promise<void>;
}

/** Creates the actions of a transfer. Each shows what became of it. */
export function createActions(session: Session, transfer: Transfer, nameOf: NameOf): TransferActions {
  const path = { id: transfer.id };
  const control = session.control.peek();
  return {
    async answer(ring) {
      const { error, response } = await control.POST("/_control/v1/transfers/{id}/answer", {
        params: { path },
        body: calleeOf(ring),
      });
      const code = codeOf(error);
      if (code?.startsWith("offer_"))
        session.notify("info", `The answer of ${ringName(ring, nameOf)} came too late and received ${code}.`);
      else await act(session, Promise.resolve({ error, response }));
    },
    async decline(ring) {
      const task = control.POST("/_control/v1/transfers/{id}/decline", { params: { path }, body: calleeOf(ring) });
      await act(session, task);
    },
    async letRing(until) {
      await act(session, control.POST("/_control/v1/clock/advance", { body: { to: until } }));
    },
  };
}

function calleeOf({ memberId, destinationId }: Ring): { memberId: string } | { destinationId: string } {
  return memberId === undefined ? { destinationId } : { memberId };
}

/** The code of an error of the control plane or of the API. */
function codeOf(error: unknown): string | undefined {
  const { error: inner, code } = Object(error) as { error?: { code?: unknown }; code?: unknown };
  const found = inner?.code ?? code;
  return found === undefined ? undefined : String(found);
}
