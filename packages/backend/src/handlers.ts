import type { AnyHandler, Handlers } from "./exchange.ts";
import { accountHandlers } from "./routes/accounts.ts";
import { callHandlers } from "./routes/calls.ts";
import { destinationGroupHandlers } from "./routes/destination-groups.ts";
import { destinationHandlers } from "./routes/destinations.ts";
import { memberHandlers } from "./routes/members.ts";
import { roleHandlers } from "./routes/roles.ts";

/** The hand-written rules by operationId. An operation without one answers the contract's example. */
export const handlers: Readonly<Record<string, AnyHandler>> = {
  ...accountHandlers,
  ...callHandlers,
  ...destinationGroupHandlers,
  ...destinationHandlers,
  ...memberHandlers,
  ...roleHandlers,
} satisfies Handlers;
