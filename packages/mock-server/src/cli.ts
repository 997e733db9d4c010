#!/usr/bin/env node
import { keepCompiledCode, main } from "./cli/main.ts";

keepCompiledCode();
process.exitCode = await main(process.argv.slice(2));
