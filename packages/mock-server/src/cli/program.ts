/** How a person runs this program: by npm in its repository, by npx where the package is installed or not. */
export const program = import.meta.url.endsWith(".ts") ? "npm -s start --" : "npx @call-transfer/mock-server";
