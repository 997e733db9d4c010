import axe from "axe-core";
import type { Page } from "playwright-core";

/** axe-core's serious and critical findings in the page as it is, one text each. */
export async function findingsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const run: typeof axe.run = Reflect.get(Reflect.get(globalThis, "axe"), "run");
    return (await run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary = "" }) =>
          `${id}: ${help}. ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`,
      ),
    );
}
