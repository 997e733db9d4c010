#!/usr/bin/env node
import { main } from "./live/main.ts";

// Ends by an exit, so that what is open is put in order; the status is the one of shells.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

process.exitCode = await main({
  args: process.argv.slice(2),
  environment: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
