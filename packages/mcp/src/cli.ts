#!/usr/bin/env node
import { main } from "./cli/main.ts";
import { exitStatus } from "./cli/options.ts";

// Exits through process.exit, so that exit handlers run.
process.once("SIGINT", () => process.exit(exitStatus.interrupted));
process.once("SIGTERM", () => process.exit(exitStatus.terminated));

const status = await main({
  args: process.argv.slice(2),
  environment: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
// Not by waiting for the end: a mock's clock that runs would keep the process running.
process.stdout.write("", () => process.exit(status));
