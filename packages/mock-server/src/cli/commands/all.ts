import type { Command } from "../options/command.ts";
import { backup } from "./backup.ts";
import { clock } from "./clock.ts";
import { coverage } from "./coverage.ts";
import { events, tail } from "./events.ts";
import { fault } from "./fault.ts";
import { keys } from "./keys.ts";
import { policy } from "./policy.ts";
import { requests } from "./requests.ts";
import { rotate } from "./rotate.ts";
import { routes } from "./routes.ts";
import { reset, restore, sandbox, snapshot } from "./sandbox.ts";
import { scenario } from "./scenario.ts";
import { state } from "./state.ts";
import { token } from "./token.ts";
import { transfer } from "./transfer.ts";
import { deliveries, inbox, redeliver, trigger } from "./webhooks.ts";

/** The commands for a running server, in the order of the help. */
export const commands: readonly Command[] = [
  tail,
  events,
  requests,
  coverage,
  transfer,
  trigger,
  deliveries,
  redeliver,
  inbox,
  rotate,
  fault,
  scenario,
  policy,
  token,
  keys,
  state,
  clock,
  sandbox,
  reset,
  snapshot,
  restore,
  backup,
  routes,
];
