import { useLive } from "../session/live.ts";
import type { DestinationFacts } from "./webhooks.ts";

/** The destinations that receive webhooks, read again when one of them changes. */
export function useDestinations(): {
  readonly destinations: readonly DestinationFacts[] | undefined;
  readonly error: string | undefined;
} {
  const live = useLive<{ records: readonly DestinationFacts[] }>(
    (control) =>
      control.GET("/_control/v1/records/{collection}", {
        params: { path: { collection: "destinations" }, query: { redact: true } },
      }),
    ({ type, changeCount }) =>
      type === "record.changed" ||
      type === "secret.expired" ||
      (type === "request.completed" && changeCount !== undefined),
  );
  return { destinations: live.data?.records.filter(({ kind }) => kind === "app"), error: live.error };
}
