// Writes docs/images/inspector-*.png: each screen of the inspector in both themes, with the state of inspector-scene.ts.
//   npm run site -- pictures [SCREEN…]
import { fileURLToPath } from "node:url";
import { demo } from "@call-transfer/backend";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../packages/contract/targets/browser/launch-browser.ts";
import { buildInspector } from "../build-inspector.ts";
import { playScene, type Scene } from "./inspector-scene.ts";

const size = { width: 1280, height: 800 };
/** A screen is drawn once nothing has changed for so long. */
const calmMs = 700;

/** What is selected on each screen, and what is done there before its picture is taken. */
const pictures: Readonly<Record<string, (scene: Scene, page: Page) => Promise<readonly string[]>>> = {
  traffic: async ({ server }) => {
    const entries = server.backend.journal.list();
    return [String(entries.findLast(({ operationId, status }) => operationId === "createCall" && status >= 400)?.id)];
  },
  transfers: async ({ transferId }) => [transferId],
  clock: async () => [],
  webhooks: async ({ server }) => [String(server.backend.deliveries.list().at(-1)?.id)],
  state: async () => ["members", demo.members.agent],
  faults: async () => [],
  sandboxes: async () => [],
  coverage: async () => [],
  reference: async () => ["createCall"],
};

const chosen = process.argv.slice(2);
await buildInspector();
const browser = await launchBrowser();
const scene = await playScene();
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ viewport: size, colorScheme, reducedMotion: "reduce" });
    page.on("pageerror", (error) => {
      throw error;
    });
    for (const [screen, prepare] of Object.entries(pictures)) {
      if (chosen.length > 0 && !chosen.includes(screen)) continue;
      const rest = await prepare(scene, page);
      await page.goto(`${scene.server.url}/_inspector/#/${["default", screen, ...rest].join("/")}`);
      await page.waitForTimeout(calmMs);
      const path = fileURLToPath(new URL(`../../docs/images/inspector-${screen}-${colorScheme}.png`, import.meta.url));
      await page.screenshot({ path });
      console.log(`docs/images/inspector-${screen}-${colorScheme}.png`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  await scene.end();
}
