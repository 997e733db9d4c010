// After each commit of each contract case, what a restart would load is compared with the backend that runs on.
import { isDeepStrictEqual } from "node:util";
import { type Backend, type BackendOptions, createBackend } from "@call-transfer/backend";
import { memoryStores } from "@call-transfer/backend/conformance";
import { expect, it } from "vitest";
import { defaultParts } from "../../backend/src/backend.ts";
import { takeSnapshot } from "../../backend/src/contents/snapshot.ts";
import { createCore } from "../../backend/src/core.ts";
import { keepCore } from "../../backend/src/store/resume.ts";
import { cases } from "../src/cases/index.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { inProcessRunner } from "./in-process.ts";

type Comparable = Record<string, unknown>;

/** What a restart loads, without continuing from there. */
function loaded(stores: ReturnType<typeof memoryStores>): Comparable {
  const core = createCore({ store: stores.open("default", "{}") }, defaultParts);
  const { keeper } = core.world;
  if (keeper === undefined || !keepCore(core, keeper)) throw new Error("The store holds nothing.");
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

/** Creates backends that are compared at each commit, and collects the differences. */
function createWatched() {
  const differences = new Set<string>();
  let commits = 0;
  const create = (options: BackendOptions = {}): Backend => {
    const stores = memoryStores();
    const inner = stores.open("default", "{}");
    let backend: Backend | undefined;
    const store: typeof inner = {
      ...inner,
      commit(changes) {
        inner.commit(changes);
        if (backend === undefined) return;
        commits += 1;
        const present = comparable({ ...backend.snapshot(), ...historiesOf(backend) });
        const restored = comparable(loaded(stores));
        for (const difference of differencesOf("", present, restored)) differences.add(difference);
      },
    };
    backend = createBackend({ ...options, store });
    return backend;
  };
  return { create, differences, commits: () => commits };
}

// The short form takes every fourth case.
const chosen = cases.filter((_, index) => process.env.CHECKS === "long" || index % 4 === 0);

it(`equals the running backend after each commit of ${chosen.length} contract cases`, async () => {
  const watched = createWatched();
  const runs: CaseResult[] = [];
  await inProcessRunner("stored", watched.create).run(chosen, (run) => runs.push(run));
  expect(runs.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect([...watched.differences].slice(0, 5)).toEqual([]);
  expect(watched.commits()).toBeGreaterThan(chosen.length);
});
