// Packs the packages, installs the tarballs in a new project, starts the packed mock server there and runs
// examples/every-operation.mjs against it. Requires built packages.
import { join } from "node:path";
import { install, pack, temporaryFolder } from "./packed.ts";
import { runEveryOperation, withPackedServer } from "./packed-server.ts";

async function demo(): Promise<void> {
  using folder = temporaryFolder("demo");
  console.log("Packing the packages and installing them in a new project …");
  const project = join(folder.path, "customer");
  const tarballs = pack(folder.path, ["spec", "sdk", "backend", "mock-server"]);
  install(project, tarballs);
  for (const filename of Object.values(tarballs)) console.log(`  installed ${filename}`);
  await withPackedServer(project, [], async (ready) => {
    console.log(`  mock server at ${ready.url}\n`);
    await runEveryOperation(project, ready);
  });
  console.log(`
What next?
  npm run add ../first-call   installs the SDK and the mock server in a folder of yours
  npm start                   starts the mock server, with a page to look at
README.md has a program that places a call, and docs/start/ the first five minutes of each kind of app.`);
}

try {
  await demo();
} catch (error) {
  console.error(`\nThe demo failed. ${(error as Error).message}`);
  process.exitCode = 1;
}
