#!/usr/bin/env node
import { main } from "./live/main.ts";

process.exitCode = await main({
  args: process.argv.slice(2),
  environment: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
