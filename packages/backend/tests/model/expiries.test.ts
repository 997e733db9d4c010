import { describe, expect, it } from "vitest";
import { assembleBackend, defaultParts } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { WallClock } from "../../src/model/clock.ts";
import { overlapMs, send } from "../test-client.ts";

const start = "2026-03-02T12:00:00.000Z";
const app = demo.destinations.app;
const [agent, member] = [demo.members.agent, demo.members.member];

/** A backend, and the expiries that it announced so far, as [minutes since the start, type, id]. */
function watched(options = {}, wall?: WallClock) {
  const backend = assembleBackend({ now: start, ...options, ...(wall && { wall }) }, defaultParts);
  const announced: unknown[][] = [];
  backend.events.follow(({ at, type, id }) => {
    const minutes = (Date.parse(at) - Date.parse(start)) / 60_000;
    if (["availability.ended", "secret.expired", "key.expired"].includes(type)) announced.push([minutes, type, id]);
  });
  return { backend, announced };
}
const away = (until: string) => ({ availability: { status: "away" as const, until } });

describe("an expiry is announced", () => {
  it("once, when a step passes it, also by a step of the clock alone", async () => {
    const { backend, announced } = watched();
    await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
    await backend.clock.advance({ by: 15 * 60_000 - 1 });
    expect(announced).toEqual([]);
    await backend.clock.advance({ by: 1 });
    expect(announced).toEqual([[15, "availability.ended", agent]]);
    await backend.clock.advance({ by: overlapMs });
    expect(announced.slice(1)).toEqual([
      [60, "availability.ended", member],
      [overlapMs / 60_000, "secret.expired", app],
    ]);
  });

  it("of an API key, and the clock can jump to it", async () => {
    const { backend, announced } = watched();
    const { id, key } = backend.credentials.createApiKey({ expiresAt: "2026-03-02T12:05:00Z" });
    await backend.advance({ nextTimer: true });
    expect(backend.clock.iso()).toBe("2026-03-02T12:05:00.000Z");
    expect(announced).toEqual([[5, "key.expired", id]]);
    const response = await send(backend, "GET /roles", { token: key });
    expect(response.status).toBe(401);
  });

  it("at the next request after the clock was set beyond it", async () => {
    const { backend, announced } = watched();
    backend.clock.set({ now: "2026-03-02T12:30:00Z" });
    expect(announced).toEqual([]);
    await send(backend, "GET /roles");
    expect(announced).toEqual([[15, "availability.ended", agent]]);
  });

  it("again, when the clock was set back before it", async () => {
    const { backend, announced } = watched();
    await backend.clock.advance({ by: 20 * 60_000 });
    backend.clock.set({ now: start });
    await backend.clock.advance({ by: 20 * 60_000 });
    expect(announced).toEqual(Array(2).fill([15, "availability.ended", agent]));
  });

  it("by the wall clock of a running clock, without a request", async () => {
    let now = 0;
    const waiting = new Map<() => void, number>();
    const wall: WallClock = {
      now: () => now,
      after(ms, task) {
        waiting.set(task, now + ms);
        return () => void waiting.delete(task);
      },
    };
    const { announced } = watched({ clockMode: "running", clockRate: 60 }, wall);
    now = 15_000;
    for (const [task, at] of [...waiting]) if (at <= now) task();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(announced).toEqual([[15, "availability.ended", agent]]);
  });

  it("of a record that a control plane's edit, a seed or a change of the state gave it", async () => {
    const { backend, announced } = watched();
    backend.collections.update("members", agent, away("2026-03-02T12:01:00Z"));
    const record = backend.state.members.get(member);
    if (record !== undefined) backend.state.members.set(member, { ...record, ...away("2026-03-02T12:02:00Z") });
    await backend.advance({ by: 5 * 60_000 });
    expect(announced.map(([minutes]) => minutes)).toEqual([1, 2]);
    const added = "d0000000-0000-4000-8000-0000000000aa";
    const rotated = { previousSecret: "x".repeat(40), previousSecretExpiresAt: "2026-03-02T12:06:00Z" };
    backend.seed({ destinations: [{ id: added, accountId: demo.accountId, name: "App", kind: "app", ...rotated }] });
    await backend.advance({ by: 5 * 60_000 });
    expect(announced).toEqual([
      [1, "availability.ended", agent],
      [2, "availability.ended", member],
      [6, "secret.expired", added],
    ]);
  });
});
