#!/usr/bin/env node
import { main } from "./remote/main.ts";
import { exitStatus } from "./remote/options.ts";

// Exits through process.exit, so that exit handlers run.
process.once("SIGINT", () => process.exit(exitStatus.interrupted));
process.once("SIGTERM", () => process.exit(exitStatus.terminated));

process.exitCode = await main({
  args: process.argv.slice(2),
  environment: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
