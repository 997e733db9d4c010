// What commander's modules of Node stand for in the command: it runs no programs, and to load `node:child_process` and all of
// `node:process` would take a third of the time in which the command prints its help.
const { process } = globalThis;

// biome-ignore lint/style/noDefaultExport: commander imports the default.
export { process as default };
