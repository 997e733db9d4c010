#!/usr/bin/env node
import { keepCompiledCode } from "./cli/compile-cache.ts";
import { main } from "./cli/main.ts";

keepCompiledCode();
process.exitCode = await main(process.argv.slice(2));
