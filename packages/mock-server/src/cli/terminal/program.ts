/** The shell command of this program: npm in its repository, npx elsewhere, which works with and without an install. */
export const program = import.meta.url.endsWith(".ts") ? "npm -s start --" : "npx @call-transfer/mock-server";
