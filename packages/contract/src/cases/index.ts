import type { ContractCase } from "../suite/case.ts";
import { accountCases } from "./accounts.ts";
import { authCases } from "./auth.ts";
import { brokenResponseCases } from "./broken-responses.ts";
import { callCases } from "./calls.ts";
import { checkOrderCases } from "./check-order.ts";
import { destinationGroupCases } from "./destination-groups.ts";
import { destinationCases } from "./destinations.ts";
import { errorCases } from "./errors.ts";
import { invalidInputCases } from "./invalid-input.ts";
import { isolationCases } from "./isolation.ts";
import { memberCases } from "./members.ts";
import { propertyCases } from "./properties.ts";
import { retryCases } from "./retries.ts";
import { roleCases } from "./roles.ts";
import { sideEffectCases } from "./side-effects.ts";
import { transferCases } from "./transfers.ts";
import { webhookCases } from "./webhooks.ts";

/** Every case of the suite. */
export const cases: readonly ContractCase[] = [
  ...destinationGroupCases,
  ...destinationCases,
  ...memberCases,
  ...roleCases,
  ...callCases,
  ...accountCases,
  ...authCases,
  ...checkOrderCases,
  ...errorCases,
  ...invalidInputCases,
  ...isolationCases,
  ...sideEffectCases,
  ...propertyCases,
  ...retryCases,
  ...brokenResponseCases,
  ...webhookCases,
  ...transferCases,
];
