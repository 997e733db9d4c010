import type { Command } from "../command.ts";
import { clock } from "./clock.ts";
import { reset } from "./reset.ts";
import { routes } from "./routes.ts";
import { restore, snapshot } from "./snapshot.ts";
import { token } from "./token.ts";
import { deliveries, inbox, redeliver, trigger } from "./webhooks.ts";

/** The commands for a running server, in the order of the help. */
export const commands: readonly Command[] = [
  trigger,
  deliveries,
  redeliver,
  inbox,
  clock,
  token,
  reset,
  snapshot,
  restore,
  routes,
];
