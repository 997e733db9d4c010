// Speaks as a PostgreSQL server that ends each session as soon as it begins, as one does that is just being restarted.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

function message(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** In one piece, so that a client reads the end of the session together with its beginning. */
const session = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0")),
]);

export async function startEndingDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.end(session));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
