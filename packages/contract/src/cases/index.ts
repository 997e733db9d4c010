import type { ContractCase } from "../suite/case.ts";
import { accountCases } from "./accounts.ts";
import { callCases } from "./calls.ts";
import { destinationGroupCases } from "./destination-groups.ts";
import { destinationCases } from "./destinations.ts";
import { authCases } from "./every-operation/auth.ts";
import { brokenResponseCases } from "./every-operation/broken-responses.ts";
import { checkOrderCases } from "./every-operation/check-order.ts";
import { errorCases } from "./every-operation/errors.ts";
import { invalidInputCases } from "./every-operation/invalid-input.ts";
import { isolationCases } from "./every-operation/isolation.ts";
import { propertyCases } from "./every-operation/properties.ts";
import { retryCases } from "./every-operation/retries.ts";
import { memberCases } from "./members.ts";
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
