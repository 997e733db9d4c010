// What the page keeps under load is bounded.
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
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

/** Sends 10,000 requests, in parts that the page has shown, so that none is lost between. */
async function sendAll(inspector: Inspector, from: number): Promise<void> {
  for (let sent = from; sent < from + 10_000; sent += 500) {
    await send(inspector, 500, sent);
    await inspector.page
      .getByText(`none-${sent + 498}`)
      .first()
      .waitFor();
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

it("keeps a limited number of 20,000 requests, draws those in view only, and needs no more memory for the second half", async () => {
  await using inspector = await open({ server: { clockMode: "frozen" }, screen: "events" });
  await sendAll(inspector, 0);
  const half = { ...(await rows(inspector)), ...(await memory(inspector)) };
  expect(half.all).toBeGreaterThanOrEqual(10_000);
  expect(half.drawn).toBeLessThan(mostRows);
  await sendAll(inspector, 10_000);
  const whole = { ...(await rows(inspector)), ...(await memory(inspector)) };
  expect(whole.drawn).toBeLessThan(mostRows);
  expect(whole.all).toBe(half.all);
  expect(whole.nodes).toBeLessThan(half.nodes * 1.5 + 1000);
  expect(whole.megabytes).toBeLessThan(half.megabytes * 1.5 + 5);
  // Each place of the list shows its rows.
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
  expect(places.filter(({ isInView }) => !isInView)).toEqual([]);
  expect(Math.max(...places.map(({ drawn }) => drawn))).toBeLessThan(mostRows);
});
