import { unknownScenario } from "../../contents/apply-scenario.ts";
import { type Scenario, scenarios } from "../../contents/scenarios.ts";
import { under } from "../../utils/input-error.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { controlError } from "../parts/reply.ts";

export const scenarioHandlers = {
  listScenarios: () => ({ scenarios: scenarios.map(shownScenario) }),
  applyScenario({ backend, params }) {
    const found = scenarios.find(({ name }) => name === params.name);
    if (found === undefined) return controlError("not_found", unknownScenario(params.name), "name");
    return under("name", () => backend.applyScenario(found.name));
  },
} satisfies Partial<ControlHandlers>;

/** A scenario without what its description says in words. */
function shownScenario({ name, description, section, faults, policies, inbox }: (typeof scenarios)[number] & Scenario) {
  return {
    name,
    description,
    section,
    ...(faults !== undefined && { faults: [...faults] }),
    ...(policies !== undefined && { policies: { ...policies } }),
    ...(inbox !== undefined && { inbox }),
  };
}
