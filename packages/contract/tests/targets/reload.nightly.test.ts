// After each commit of each contract case, what a restart would load is compared with the backend that runs on.
import { isDeepStrictEqual } from "node:util";
import { type Backend, type BackendOptions, createBackend } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { createCore, defaultParts } from "../../../backend/src/backend.ts";
import { keepCore } from "../../../backend/src/data/load-sandbox.ts";
import { takeSnapshot } from "../../../backend/src/data/snapshot.ts";
import { createMemoryStorage } from "../../../backend/tests/store/cases.ts";
import { cases } from "../../src/cases/index.ts";
import type { CaseResult } from "../../src/suite/run.ts";
import { inProcessRunner } from "../../targets/in-process.ts";

type Comparable = Record<string, unknown>;

/** What a restart loads, without continuing from there. */
function loaded(stores: ReturnType<typeof createMemoryStorage>): Comparable {
  const core = createCore({ store: stores.open("default", "{}") }, defaultParts);
  const { writer } = core.backend;
  if (writer === undefined || !keepCore(core, writer)) throw new Error("The store holds nothing.");
  const { snapshot, ...histories } = { snapshot: takeSnapshot(core), ...historiesOf(core) };
  return { ...snapshot, ...histories };
}

function historiesOf({ inbox, deliveries }: Pick<Backend, "inbox" | "deliveries">) {
  return { inboxEvents: inbox.list(), sent: deliveries.list() };
}

/** As JSON, without the position of the request ids: they are reserved in blocks. */
function comparable({ random, ...others }: Comparable): Comparable {
  const { requestIds: _, ...positions } = random as Record<string, number>;
  return JSON.parse(JSON.stringify({ ...others, random: positions }));
}

/** The paths at which two values differ, with both values. */
function differencesOf(path: string, present: unknown, restored: unknown): string[] {
  if (isDeepStrictEqual(present, restored)) return [];
  if (!isParent(present) || !isParent(restored))
    return [`${path}: ${JSON.stringify(present)} was loaded as ${JSON.stringify(restored)}`];
  const keys = new Set([...Object.keys(present), ...Object.keys(restored)]);
  return [...keys].flatMap((key) => differencesOf(`${path}/${key}`, present[key], restored[key]));
}

function isParent(value: unknown): value is Comparable {
  return typeof value === "object" && value !== null;
}

/**
 * Creates backends that are compared at each commit, and collects the differences. With `failing`, every so manieth commit fails,
 * and the backends are compared whenever one has gone back, without the histories, which a failure does not undo.
 */
function createWatched(failing?: number) {
  const differences = new Set<string>();
  let commits = 0;
  let compared = 0;
  const create = (options: BackendOptions = {}): Backend => {
    const stores = createMemoryStorage();
    const inner = stores.open("default", "{}");
    let backend: Backend | undefined;
    const store: typeof inner = {
      ...inner,
      commit(changes) {
        commits += 1;
        if (failing !== undefined && backend !== undefined && commits % failing === 0) throw new Error("full");
        inner.commit(changes);
        if (backend === undefined || failing !== undefined) return;
        compared += 1;
        const present = comparable({ ...backend.snapshot(), ...historiesOf(backend) });
        const restored = comparable(loaded(stores));
        for (const difference of differencesOf("", present, restored)) differences.add(difference);
      },
    };
    const created = createBackend({ ...options, store });
    backend = created;
    created.events.follow((event) => {
      if (event.type !== "sandbox.restored" || failing === undefined || event.reason === undefined) return;
      compared += 1;
      const { inboxEvents: _, sent: __, ...restored } = comparable(loaded(stores));
      for (const one of differencesOf("", comparable({ ...created.snapshot() }), restored)) differences.add(one);
    });
    return created;
  };
  return { create, differences, compared: () => compared };
}

it(`equals the running backend after each commit of ${cases.length} contract cases`, async () => {
  const watched = createWatched();
  const runs: CaseResult[] = [];
  await inProcessRunner("stored", watched.create).run(cases, (run) => runs.push(run));
  expect(runs.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect([...watched.differences].slice(0, 5)).toEqual([]);
  expect(watched.compared()).toBeGreaterThan(cases.length);
});

it(`goes back to what a restart would load when commits of ${cases.length} contract cases fail`, async () => {
  const watched = createWatched(3);
  // Their requests are answered 500, so the cases themselves fail.
  await inProcessRunner("failing", watched.create).run(cases, () => {});
  expect([...watched.differences].slice(0, 5)).toEqual([]);
  expect(watched.compared()).toBeGreaterThan(cases.length / 4);
});
