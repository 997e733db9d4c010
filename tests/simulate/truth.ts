import type { CallRecord } from "./records.ts";
import type { Evidence } from "./world.ts";

/** A call in words, with how its attempts went. */
export function aboutCall({ id, client, plan, attempts }: CallRecord): string {
  const went = attempts.map(({ fault, status, end }) => `${fault} ${status ?? end}`).join(", ");
  return `call ${id} (${client.plan.name} ${plan.operation.id}: ${went || "nothing sent"})`;
}

/** How many calls the backend holds that a logical call placed. */
export function placedBy({ backend }: Evidence, { id }: CallRecord): number {
  let count = 0;
  for (const { request } of backend.state.calls.values()) if (request.note === id) count += 1;
  return count;
}
