// The packages as npm takes them from a registry, for rehearsals of what pages print: packs them, and serves the tarballs on this
// machine. Requires built packages.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pack, published, temporaryFolder } from "../packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scope = "@call-transfer";

/** A registry of the packages of this workspace, and of no others. */
export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Packs all packages and serves them on 127.0.0.1. npm takes them from there with the setting `@call-transfer:registry`.
 *
 * @param port 0 for a free one
 */
export async function startRegistry(port: number): Promise<Registry> {
  using folder = temporaryFolder("registry");
  const tarballs = pack(folder.path, published);
  const files = new Map(Object.values(tarballs).map((file) => [`/${file}`, readFileSync(join(folder.path, file))]));
  let url = "";

  /** What a registry says about a package. */
  const describe = (name: string) => {
    const file = `/${tarballs[name]}`;
    const manifest = JSON.parse(readFileSync(join(root, name.replace(scope, "packages"), "package.json"), "utf8"));
    const digest = createHash("sha512")
      .update(files.get(file) ?? "")
      .digest("base64");
    const version = { ...manifest, dist: { tarball: url + file, integrity: `sha512-${digest}` } };
    return { name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: version } };
  };

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", url).pathname);
    const file = files.get(path);
    if (file) response.setHeader("Content-Type", "application/octet-stream").end(file);
    else if (path.slice(1) in tarballs)
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(describe(path.slice(1))));
    else response.writeHead(404, { "Content-Type": "application/json" }).end('{ "error": "not found" }');
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;
  return {
    url,
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
