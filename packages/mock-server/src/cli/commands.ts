import { api } from "./api.ts";
import { clock } from "./clock.ts";
import type { Command } from "./command.ts";
import { credentials } from "./credentials.ts";
import { events } from "./events.ts";
import { fault } from "./fault.ts";
import { records } from "./records.ts";
import { coverage, requests } from "./requests.ts";
import { sandbox, snapshot } from "./sandbox.ts";
import { transfer } from "./transfer.ts";
import { webhooks } from "./webhooks.ts";

/** The commands for a running server, in the order of the help. */
export const commands: readonly Command[] = [
  ...[events, requests, coverage, transfer, webhooks, fault, credentials, records, clock, sandbox, snapshot],
  api,
];
