// nginx in front of mock servers, with the configuration of examples/sharding.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServerProcess, startServer, temporaryFolder } from "../receiving/server-process.ts";

/** The program, which Debian keeps outside of the PATH of users; undefined if it is not installed. */
export function findNginx(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path));
}

const example = fileURLToPath(new URL("../../examples/sharding/nginx.conf", import.meta.url));

/** Everything around the example. It writes nothing outside of its folder, and runs in one process. */
const around = `daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include sharding.conf;
}
`;

/** The example with other ports: that of nginx, and those of the servers. */
function configuration(port: number, servers: readonly number[]): string {
  const text = readFileSync(example, "utf8");
  const upstream = /( +server 127\.0\.0\.1:)\d+(.*\n)(?: +server .*\n)+/;
  if (!upstream.test(text) || !text.includes("listen 8080;")) throw new Error(`${example} has no server or no port.`);
  return text
    .replace("listen 8080;", `listen 127.0.0.1:${port};`)
    .replace(upstream, (_, before, after) => servers.map((server) => `${before}${server}${after}`).join(""));
}

/** Starts nginx in front of servers on these ports of this machine. */
export function startNginx(servers: readonly number[]): Promise<ServerProcess> {
  const folder = temporaryFolder();
  const program = findNginx();
  if (program === undefined) throw new Error("There is no nginx. Install it, for example with apt-get.");
  writeFileSync(join(folder, "nginx.conf"), around);
  return startServer(
    {
      command(port) {
        writeFileSync(join(folder, "sharding.conf"), configuration(port, servers));
        return [program, "-p", folder, "-e", "stderr", "-c", "nginx.conf"];
      },
      folder,
      // It prints this after it has opened its port.
      readyText: "getrlimit(RLIMIT_NOFILE)",
      endSignal: "SIGTERM",
    },
    "http://",
  );
}
