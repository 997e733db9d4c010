// Opens a page as a reader of docs/start/build-a-page.md does: `node see.ts URL [--press] TEXT` presses the button, and waits
// until the page, or a dialog of it, shows the text. Without a browser on this machine it only says so.
import { parseArgs } from "node:util";
import { browserHere, launchBrowser } from "../../build/browser.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { press: { type: "boolean" } } });
const [url = "", text = ""] = positionals;

async function see(): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const said = new Promise<void>((resolve) => {
      page.on("dialog", async (dialog) => {
        if (dialog.message().includes(text)) resolve();
        await dialog.dismiss();
      });
    });
    await page.goto(url);
    await page.getByRole("listitem").first().waitFor();
    if (values.press) await page.getByRole("button").click();
    await Promise.any([said, page.getByText(text).first().waitFor({ timeout: 0 })]);
    console.log(`The page shows ${text}.`);
  } finally {
    await browser.close();
  }
}

if (await browserHere()) await see();
else console.log("There is no browser.");
