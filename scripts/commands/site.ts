// `npm run site`: the documentation site. Without a name it is built.
import { type NamedCommands, onSources, runNamed } from "./named.ts";

export const siteCommands: NamedCommands = {
  build: { does: "builds the site into site/dist", installs: "site", run: [onSources("site/build.ts", "build")] },
  dev: { does: "shows the site while you write", installs: "site", run: [onSources("site/build.ts", "dev")] },
  start: {
    does: "writes the folder of a start or of a recipe: start nextjs FOLDER",
    run: [onSources("site/starts.ts")],
  },
};

if (import.meta.main) await runNamed("site", siteCommands, "build");
