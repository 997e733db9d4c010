#!/usr/bin/env node
import { main } from "./live/main.ts";

// Exits through process.exit, so that exit handlers run. 130 and 143 are the shell's statuses for these signals.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

process.exitCode = await main({
  args: process.argv.slice(2),
  environment: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
