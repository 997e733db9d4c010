// Loaded before tests: whatever they import of our packages is the CommonJS form, where there is one.
import { registerHooks } from "node:module";

let loaded = 0;
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith("@call-transfer/")) return next(specifier, context);
    const found = next(specifier, { ...context, conditions: ["node", "require", "default"] });
    if (found.url.endsWith(".cjs")) loaded += 1;
    return found;
  },
});
process.once("exit", () => {
  if (loaded === 0) throw new Error("No CommonJS was loaded, so this run proved nothing. Correct as-commonjs.mjs.");
});
