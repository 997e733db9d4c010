import { accountCases } from "./accounts.contract.ts";
import { authCases } from "./auth.ts";
import { breakageCases } from "./breakages.ts";
import { callCases } from "./calls.contract.ts";
import type { ContractCase } from "./case.ts";
import { destinationGroupCases } from "./destination-groups.contract.ts";
import { destinationCases } from "./destinations.contract.ts";
import { errorCases } from "./errors.ts";
import { memberCases } from "./members.contract.ts";
import { negativeCases } from "./negatives.ts";
import { orderCases } from "./order.ts";
import { retryCases } from "./retries.ts";
import { roleCases } from "./roles.contract.ts";
import { transferCases } from "./transfers.contract.ts";
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
  ...orderCases,
  ...errorCases,
  ...negativeCases,
  ...retryCases,
  ...breakageCases,
  ...webhookCases,
  ...transferCases,
];
