import type { Schema } from "@call-transfer/backend/control-client";
import { useComputed, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { collectionsChangedBy } from "./records.ts";

/** The availability of each member now, by the id of the member. It is read again with each minute of the clock. */
export function useAvailability(): ReadonlyMap<string, Schema<"Availability">> {
  const session = useSession();
  const live = useLive<Schema<"AvailabilityList">>(
    (control) => control.GET("/_control/v1/members/availability"),
    (event) => /^(?:clock|timer)\./.test(event.type) || collectionsChangedBy(event, ["members"]).length > 0,
  );
  const minute = useComputed(() => Math.floor(session.clock.now.value / 60_000));
  useSignalEffect(() => {
    if (minute.value > 0) live.reload();
  });
  return useMemo(() => new Map(live.data?.members.map((one) => [one.memberId, one])), [live.data]);
}
