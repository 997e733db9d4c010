/**
 * The shell command of this program: npm in its repository, npx elsewhere, which works with and without an install. In a file of
 * its own, because Workers have no `import.meta.url`.
 */
export const program = import.meta.url.endsWith(".ts") ? "npm -s start --" : "npx @call-transfer/mock-server";
