import { expect, it } from "vitest";
import { browserHere } from "../../../../build/browser.ts";
import { openMswPage } from "../../targets/msw-browser.ts";

it.runIf(await browserHere())("a page's EventSource follows the control plane's events under MSW", async () => {
  const page = await openMswPage();
  try {
    const event = await page.call("follow", "request.completed");
    expect(JSON.parse(event)).toMatchObject({ type: "request.completed", operationId: "listRoles" });
  } finally {
    await page.close();
  }
});
