// Takes pictures of the inspector in both themes, with the state of inspector-scene.ts: those of its page, as
// docs/images/inspector-*.png, or each screen in three widths into a folder.
//   npm run site -- pictures [--into FOLDER] [SCREEN…]
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { demo } from "@call-transfer/backend";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../build/browser.ts";
import { buildInspector } from "../build-inspector.ts";
import { playScene, type Scene } from "./inspector-scene.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The window of the page's pictures, and their screens. */
const [keptSize, keptScreens] = [{ width: 1280, height: 720 }, ["events", "calls"]];
/** A phone, a laptop and a wide screen. */
const sizes = [
  { width: 400, height: 800 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];
/** A screen is drawn once nothing has changed for so long, in milliseconds. */
const calmMs = 700;

/** The selection on each screen. */
const selections: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  events: ({ refusedRequest }) => [refusedRequest],
  calls: ({ transferId }) => [transferId],
  webhooks: ({ deliveryId }) => [deliveryId],
  errors: () => [],
  records: () => ["members", demo.members.agent],
};

const { values, positionals: chosen } = parseArgs({ options: { into: { type: "string" } }, allowPositionals: true });
const unknown = chosen.filter((screen) => !(screen in selections));
if (unknown.length > 0)
  throw new Error(`Unknown screen ${unknown.join(", ")}. Choose from ${Object.keys(selections).join(", ")}.`);
const usual = values.into === undefined ? keptScreens : Object.keys(selections);
const screens = chosen.length === 0 ? usual : chosen;

/** Takes a picture of each screen in a page. */
async function shoot(scene: Scene, page: Page, theme: string, width: number): Promise<void> {
  for (const screen of screens) {
    const selection = selections[screen]?.(scene) ?? [];
    await page.goto(`${scene.server.url}/_inspector/#/${["default", screen, ...selection].join("/")}`);
    await page.waitForTimeout(calmMs);
    const { into } = values;
    const name = `${screen}-${into === undefined ? "" : `${width}-`}${theme}.png`;
    const path = into === undefined ? `docs/images/inspector-${name}` : join(into, name);
    await page.screenshot({ path: resolve(root, path) });
    console.log(path);
  }
}

await buildInspector();
const browser = await launchBrowser();
const scene = await playScene();
if (values.into !== undefined) mkdirSync(resolve(root, values.into), { recursive: true });
try {
  for (const colorScheme of ["light", "dark"] as const)
    for (const viewport of values.into === undefined ? [keptSize] : sizes) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
      page.on("pageerror", (error) => {
        throw error;
      });
      await shoot(scene, page, colorScheme, viewport.width);
      await page.close();
    }
} finally {
  await browser.close();
  await scene.end();
}
