/** Every change of state that the specification shows (§3, §4.1, §4.3, §5.4, §6.2, §8). */
export const transitions = [
  "availability: away → available, as `until` passes",
  "availability: offline → available, as `until` passes",
  "availability: away stays, without `until`",
  "availability: offline stays, without `until`",
  "hours: set → none, by their removal",
  "hours: none → none, by their removal",
  "signing secret: current → previous, by a rotation",
  "signing secret: previous → void, as the overlap ends",
  "signing secret: previous → void, by the next rotation",
  "call: placed → in progress, below the concurrent-call limit",
  "call: placed → queued, at the concurrent-call limit",
  "call: placed → refused, beyond the queue",
  "call: queued → in progress, as another call ends",
  "daily quota: used up → free, at midnight UTC",
  "callable hours: closed → open, as they begin",
  "callable hours: open → closed, as they end",
  "rate limit: used up → free, after the wait that it names",
  "access token: valid → expired, with time",
] as const;

/** A change of state in words. */
export type Transition = (typeof transitions)[number];

/** The claim of a case that shows changes of state. */
export const shows = (...names: Transition[]) =>
  names.map((transition) => ({ kind: "transition" as const, transition }));
