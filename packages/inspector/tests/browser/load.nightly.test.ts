// What the page keeps under load is bounded. How fast it is depends on the machine, so that is printed, not checked.
// `INSPECTOR_LOAD_SECONDS=30 npx vitest run packages/inspector/tests/browser/load` prints figures to publish.
import { setTimeout as sleep } from "node:timers/promises";
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const perSecond = 500;
const seconds = Number(process.env.INSPECTOR_LOAD_SECONDS ?? 3);
/** More than the page draws at any height of a window. */
const mostRows = 120;

/** Sends requests of several kinds, without waiting for the page. */
async function send({ server }: Inspector, count: number, first = 0): Promise<void> {
  const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  const kinds = [
    () => ["/api/v1/roles", { headers }] as const,
    () => ["/api/v1/calls", { headers, method: "POST", body: JSON.stringify(call) }] as const,
    (number: number) => [`/api/v1/none-${number}`, { headers }] as const,
    () => ["/api/v1/transfers/destination-groups", { headers, method: "POST", body: "{}" }] as const,
  ];
  for (let number = first; number < first + count; number += 1) {
    const [path, init] = kinds[number % kinds.length]?.(number) ?? ["/", {}];
    await (await fetch(`${server.url}${path}`, init)).arrayBuffer();
  }
}

/** The rows in the page, and of how many they are. */
function rows({ page }: Inspector): Promise<{ readonly drawn: number; readonly all: number }> {
  return page.locator("[role=option]").evaluateAll((options) => ({
    drawn: options.length,
    all: Number(options[0]?.getAttribute("aria-setsize") ?? 0),
  }));
}

/** The page's memory after a garbage collection. */
async function memory({ page }: Inspector): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { megabytes: Math.round(of("JSHeapUsedSize") / 1e5) / 10, nodes: of("Nodes") };
}

/** Counts the processor time of the page's main thread, in milliseconds; other programs do not add to it. */
async function processorTime({ page }: Inspector): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const total = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  };
  const before = await total();
  return async () => (await total()) - before;
}

/** Records in the page how long its tasks and frames take. The returned function ends that. */
async function timing({ page }: Inspector): Promise<() => Promise<Record<string, number>>> {
  const recording = await page.evaluateHandle(() => {
    const tasks: number[] = [];
    const frames: number[] = [];
    const observer = new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    );
    observer.observe({ type: "longtask" });
    let [isOn, last] = [true, performance.now()];
    const next = (now: number) => {
      frames.push(now - last);
      last = now;
      if (isOn) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    return () => {
      isOn = false;
      observer.disconnect();
      const at = (values: number[], part: number) =>
        Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0);
      return {
        longTasks: tasks.length,
        longTaskAt95: at(tasks, 0.95),
        longestTask: at(tasks, 1),
        frameAt50: at(frames, 0.5),
        frameAt95: at(frames, 0.95),
      };
    };
  });
  return () => recording.evaluate((end) => end());
}

it("keeps a limited number of 20,000 requests, draws only those in view, and needs no more memory for the second half", async () => {
  await using inspector = await open({ server: { clockMode: "frozen" }, screen: "events" });
  const sendAll = async (from: number) => {
    // In parts that the page has shown, so that none is lost between.
    for (let sent = from; sent < from + 10_000; sent += 500) {
      await send(inspector, 500, sent);
      await inspector.page
        .getByText(`none-${sent + 498}`)
        .first()
        .waitFor();
    }
  };
  await sendAll(0);
  const half = { ...(await rows(inspector)), ...(await memory(inspector)) };
  expect(half.all).toBeGreaterThanOrEqual(10_000);
  expect(half.drawn).toBeLessThan(mostRows);
  await sendAll(10_000);
  const whole = { ...(await rows(inspector)), ...(await memory(inspector)) };
  console.log("20,000 requests:", JSON.stringify({ half, whole }));
  expect(whole.drawn).toBeLessThan(mostRows);
  expect(whole.all).toBe(half.all);
  expect(whole.nodes).toBeLessThan(half.nodes * 1.5 + 1000);
  expect(whole.megabytes).toBeLessThan(half.megabytes * 1.5 + 5);
});

it("scrolls through 10,000 requests and draws the rows at each place", async () => {
  await using inspector = await open({ server: { clockMode: "frozen" }, screen: "events" });
  for (let sent = 0; sent < 10_000; sent += 500) {
    await send(inspector, 500, sent);
    await inspector.page
      .getByText(`none-${sent + 498}`)
      .first()
      .waitFor();
  }
  const end = await timing(inspector);
  const places = await inspector.page.locator("[role=listbox]").evaluate(async (list) => {
    const found: { readonly drawn: number; readonly isInView: boolean }[] = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let step = 0; step <= 100; step += 1) {
      list.scrollTop = (list.scrollHeight * step) / 100;
      await frame();
      await frame();
      const { top, bottom } = list.getBoundingClientRect();
      const middle = (top + bottom) / 2;
      const drawn = [...list.querySelectorAll("[role=option]")].map((row) => row.getBoundingClientRect());
      found.push({ drawn: drawn.length, isInView: drawn.some((row) => row.top <= middle && row.bottom >= middle) });
    }
    return found;
  });
  console.log("Scrolling through 10,000 requests:", JSON.stringify(await end()));
  expect(places.filter(({ isInView }) => !isInView)).toEqual([]);
  expect(Math.max(...places.map(({ drawn }) => drawn))).toBeLessThan(mostRows);
});

it(`shows ${perSecond} requests a second live, and follows to the last`, async () => {
  await using inspector = await open({ screen: "events" });
  const end = await timing(inspector);
  const used = await processorTime(inspector);
  const startedAt = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent += 10) {
    await send(inspector, 10, sent);
    await sleep(Math.max(0, startedAt + ((sent + 10) * 1000) / perSecond - performance.now()));
  }
  const took = (performance.now() - startedAt) / 1000;
  await inspector.page
    .getByText(`none-${perSecond * seconds - 2}`)
    .first()
    .waitFor();
  const perRequest = (await used()) / (perSecond * seconds);
  const figures = {
    processorMsPerRequest: Math.round(perRequest * 1000) / 1000,
    ...(await end()),
    ...(await rows(inspector)),
    ...(await memory(inspector)),
  };
  const rate = Math.round((perSecond * seconds) / took);
  console.log(`${rate} requests a second for ${Math.round(took)} s:`, JSON.stringify(figures));
  expect(figures.drawn).toBeLessThan(mostRows);
});
