import { policyDescriptions } from "../../generated/policies.gen.ts";
import { defaultPolicies, type Policies, policyChoices } from "../../model/policies.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

export const policyHandlers = {
  getPolicies: ({ backend }) => ({ ...backend.policies }),
  changePolicies: ({ backend, body }) => backend.changePolicies(body),
  describePolicies({ backend }) {
    const defaults = Object.entries(defaultPolicies()) as [keyof Policies, unknown][];
    return {
      policies: defaults.map(([name, byDefault]) => ({
        name,
        ...policyDescriptions[name],
        value: backend.policies[name],
        default: byDefault,
        ...(name.endsWith("Secs") && { unit: "seconds" as const }),
        ...(policyChoices.has(name) && { choices: [...(policyChoices.get(name) ?? [])] }),
      })),
    };
  },
} satisfies Partial<ControlHandlers>;
