import { type Policies, policyTable } from "../../model/policies.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

const rows = Object.entries(policyTable) as [keyof Policies, (typeof policyTable)[keyof Policies]][];

export const policyHandlers = {
  getPolicies: ({ backend }) => ({ ...backend.policies }),
  changePolicies: ({ backend, body }) => ({ ...backend.changePolicies(body) }),
  describePolicies: ({ backend }) => ({
    policies: rows.map(([name, { type, default: byDefault, description, assumption }]) => ({
      name,
      description,
      assumption,
      value: backend.policies[name],
      default: byDefault,
      ...(type === "seconds" && { unit: "seconds" as const }),
      ...(Array.isArray(type) && { choices: [...type] }),
    })),
  }),
} satisfies Partial<ControlHandlers>;
