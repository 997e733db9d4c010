// Stands between a client and PostgreSQL, and breaks the connection at a commit.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CommitProxy {
  readonly url: string;
  /**
   * Breaks the connection of the next commit: the commit does not arrive, or its response does not. `unnoticed`: it does not
   * arrive, and PostgreSQL keeps the transaction until its event was asked for twice.
   */
  breakNext(at: "before" | "after" | "unnoticed"): void;
  close(): void;
}

const isAsking = (bytes: Buffer): boolean => bytes.includes("pg_try_advisory_xact_lock");

const isCommit = (bytes: Buffer): boolean => bytes.includes("commit\0");

export async function startCommitProxy(port: number): Promise<CommitProxy> {
  let broken: "before" | "after" | "unnoticed" | undefined;
  let kept: { readonly database: Socket; asked: number } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    let isMuted = false;
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => to !== kept?.database && to.destroy());
    }
    client.on("data", (bytes) => {
      if (kept && isAsking(bytes) && ++kept.asked === 2) {
        kept.database.destroy();
        kept = undefined;
      }
      if (broken === undefined || !isCommit(bytes)) return void database.write(bytes);
      const at = broken;
      broken = undefined;
      if (at === "unnoticed") kept = { database, asked: 0 };
      if (at !== "after") return void client.destroy();
      isMuted = true;
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      // PostgreSQL has answered the commit.
      if (isMuted) client.destroy();
      else client.write(bytes);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakNext(at) {
      broken = at;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
