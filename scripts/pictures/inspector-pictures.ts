// Takes pictures of each screen of the inspector in both themes, with the state of inspector-scene.ts: those of its page, as
// docs/images/inspector-*.png, or in three widths into a folder, with an index.html that shows them beside those of the page.
//   npm run site -- pictures [--into FOLDER] [SCREEN…]
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { demo } from "@call-transfer/backend";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../packages/contract/targets/browser/launch-browser.ts";
import { buildInspector } from "../build-inspector.ts";
import { playScene, type Scene } from "./inspector-scene.ts";
import { type Picture, pictureIndex } from "./picture-index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The window of the page's pictures. */
const size = { width: 1280, height: 800 };
/** A phone, a laptop and a wide screen. */
const sizes = [{ width: 400, height: 800 }, size, { width: 1920, height: 1080 }];
/** A screen is drawn once nothing has changed for so long. */
const calmMs = 700;

/** What is selected on each screen. */
const selections: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  traffic: ({ server }) => {
    const entries = server.backend.requests.list();
    return [String(entries.findLast(({ operationId, status }) => operationId === "createCall" && status >= 400)?.id)];
  },
  transfers: ({ transferId }) => [transferId],
  clock: () => [],
  webhooks: ({ server }) => [String(server.backend.deliveries.list().at(-1)?.id)],
  state: () => ["members", demo.members.agent],
  faults: () => [],
  sandboxes: () => [],
  coverage: () => [],
  reference: () => ["createCall"],
};

const { values, positionals: chosen } = parseArgs({ options: { into: { type: "string" } }, allowPositionals: true });
const unknown = chosen.filter((screen) => !(screen in selections));
if (unknown.length > 0)
  throw new Error(`Unknown screen ${unknown.join(", ")}. Choose from ${Object.keys(selections).join(", ")}.`);
const screens = Object.entries(selections).filter(([screen]) => chosen.length === 0 || chosen.includes(screen));

/** Takes a picture of each screen in a page, under the name that `place` gives. */
async function shoot(scene: Scene, page: Page, place: (screen: string) => string): Promise<void> {
  for (const [screen, select] of screens) {
    await page.goto(`${scene.server.url}/_inspector/#/${["default", screen, ...select(scene)].join("/")}`);
    await page.waitForTimeout(calmMs);
    const path = place(screen);
    await page.screenshot({ path: resolve(root, path) });
    console.log(path);
  }
}

const keptName = (screen: string, theme: string): string => `docs/images/inspector-${screen}-${theme}.png`;

/** Where a picture goes in a folder, beside a copy of that of the page. */
function inFolder(folder: string, screen: string, theme: string, width: number): Picture {
  const kept = keptName(screen, theme);
  const copy = `of-the-page-${basename(kept)}`;
  const isKept = width === size.width && existsSync(join(root, kept));
  if (isKept) copyFileSync(join(root, kept), resolve(root, folder, copy));
  return { screen, theme, width, path: `${screen}-${width}-${theme}.png`, ...(isKept && { kept: copy }) };
}

await buildInspector();
const browser = await launchBrowser();
const scene = await playScene();
const taken: Picture[] = [];
try {
  for (const colorScheme of ["light", "dark"] as const)
    for (const viewport of values.into === undefined ? [size] : sizes) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
      page.on("pageerror", (error) => {
        throw error;
      });
      await shoot(scene, page, (screen) => {
        if (values.into === undefined) return keptName(screen, colorScheme);
        mkdirSync(resolve(root, values.into), { recursive: true });
        const picture = inFolder(values.into, screen, colorScheme, viewport.width);
        taken.push(picture);
        return join(values.into, picture.path);
      });
      await page.close();
    }
} finally {
  await browser.close();
  await scene.end();
}
if (values.into !== undefined) writeFileSync(resolve(root, values.into, "index.html"), pictureIndex(taken));
