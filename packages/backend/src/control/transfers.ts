import { errorCodes } from "@call-transfer/spec";
import { refuse } from "../http/dispatch.ts";
import type { TransferRecord } from "../model/transfer-record.ts";
import { ringsUntil } from "../rules/transfers.ts";
import type { ControlHandlers } from "./control.ts";
import { controlFailure, type SuccessBody } from "./reply.ts";

export const transferHandlers = {
  listTransfers: async ({ backend }) => {
    await backend.clock.runDue();
    return { transfers: backend.transfers.list().map(shownTransfer) };
  },
  startTransfer: ({ backend, body }) => shownTransfer(backend.transfers.start(body)),
  async getTransfer({ backend, params }) {
    await backend.clock.runDue();
    const transfer = backend.transfers.get(params.id);
    return transfer === undefined ? unknown(params.id) : shownTransfer(transfer);
  },
  async answerTransfer({ backend, params, body }) {
    const transfer = backend.transfers.get(params.id);
    if (transfer === undefined) return unknown(params.id);
    const code = await backend.transfers.answer(params.id, body);
    return code === undefined ? shownTransfer(transfer) : refuse(code, errorCodes[code].meaning);
  },
} satisfies Partial<ControlHandlers>;

function unknown(id: string): Response {
  return controlFailure("not_found", `No transfer has the id ${id}.`, "id");
}

/** A transfer with its times as texts, and who answered by name. */
export function shownTransfer(transfer: TransferRecord): SuccessBody<"getTransfer"> {
  const { startedAt, answeredAt, answeredBy, endedAt, callEndsAt: _, answers: __, rings, ...rest } = transfer;
  const winner = rings[answeredBy ?? -1];
  return {
    ...rest,
    startedAt: iso(startedAt),
    ...(winner !== undefined && {
      answeredBy: {
        destinationId: winner.destinationId,
        ...(winner.memberId !== undefined && { memberId: winner.memberId }),
      },
    }),
    ...(answeredAt !== undefined && { answeredAt: iso(answeredAt) }),
    ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
    rings: rings.map(({ late, ...ring }) => ({
      ...ring,
      from: iso(ring.from),
      until: iso(ringsUntil(transfer, ring)),
      late: late.map(({ at, code }) => ({ at: iso(at), code })),
    })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
