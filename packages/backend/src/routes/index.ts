import type { AnyHandler, Handlers } from "../http/checks/exchange.ts";
import { accountHandlers } from "./accounts.ts";
import { callHandlers } from "./calls.ts";
import { destinationGroupHandlers } from "./destination-groups.ts";
import { destinationHandlers } from "./destinations.ts";
import { memberHandlers } from "./members.ts";
import { roleHandlers } from "./roles.ts";

/** The handlers by operationId. An operation without one answers with the example of the API description. */
export const handlers = {
  ...accountHandlers,
  ...callHandlers,
  ...destinationGroupHandlers,
  ...destinationHandlers,
  ...memberHandlers,
  ...roleHandlers,
} satisfies Handlers as Readonly<Record<string, AnyHandler>>;
