import { openPage } from "../../../build/browser.ts";
import { cases } from "../src/cases/index.ts";
import type { MswPage } from "./msw-page.ts";
import type { TargetRunner } from "./runner.ts";

/** Opens the suite's page under MSW. */
export const openMswPage = () => openPage<MswPage>(new URL("msw-page.ts", import.meta.url));

/** The suite inside Chromium, with MSW's worker between its fetch and the backend. */
export const mswBrowser: TargetRunner = {
  name: "msw-browser",
  async run(wanted, onRun) {
    const page = await openMswPage();
    try {
      for (const contractCase of wanted) onRun(await page.call("runCase", cases.indexOf(contractCase)));
    } finally {
      await page.close();
    }
  },
};
