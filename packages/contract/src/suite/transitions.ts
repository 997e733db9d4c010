/** Every state transition in the specification (§3, §4.1, §4.3, §5.4, §6.2, §8). */
export const transitions = [
  "availability: away → available, when `until` passes",
  "availability: offline → available, when `until` passes",
  "availability: away stays, without `until`",
  "availability: offline stays, without `until`",
  "hours: set → none, when removed",
  "hours: none → none, when removed",
  "signing secret: current → previous, by a rotation",
  "signing secret: previous → invalid, when the overlap ends",
  "signing secret: previous → invalid, by the next rotation",
  "call: placed → in progress, below the concurrent-call limit",
  "call: placed → queued, at the concurrent-call limit",
  "call: placed → rejected, beyond the queue limit",
  "call: queued → in progress, when another call ends",
  "daily limit: exhausted → free, at midnight UTC",
  "callable hours: closed → open, when they begin",
  "callable hours: open → closed, when they end",
  "rate limit: exhausted → free, after retryAfterSecs",
  "access token: valid → expired, over time",
] as const;

/** The name of a state transition. */
export type Transition = (typeof transitions)[number];

/** The coverage cells of a case that shows state transitions. */
export const shows = (...names: Transition[]) =>
  names.map((transition) => ({ kind: "transition" as const, transition }));
