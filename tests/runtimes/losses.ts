// Loopback servers that lose a createCall request in different ways, and the outcome that the SDK must report.
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { freePort } from "../../build/free-port.ts";

/** A way to lose a createCall request. */
export interface Loss {
  readonly name: string;
  readonly url: string;
  /** Whether another request opens the connection first. */
  readonly warm: boolean;
  /** The outcome of the error. */
  readonly outcome: "not_sent" | "unknown";
}

const answer = (status: string, body = ""): string =>
  [
    `HTTP/1.1 ${status}`,
    "Access-Control-Allow-Origin: *",
    "Access-Control-Allow-Methods: *",
    "Access-Control-Allow-Headers: authorization, content-type",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");

/** Answers GET and OPTIONS, and calls `lose` for POST. */
async function listen(lose: (socket: Socket, server: Server) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const text = data.toString();
      if (text.startsWith("POST")) lose(socket, server);
      else if (text.startsWith("GET")) socket.write(answer("200 OK", '{"roles":[]}'));
      else if (text.startsWith("OPTIONS")) socket.write(answer("204 No Content"));
      // A TLS handshake also gets a 400.
      else if (!text.startsWith("{")) socket.end(answer("400 Bad Request"));
    });
  });
  server.on("close", () => {
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const urlOf = (server: Server, scheme = "http"): string =>
  `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;

/**
 * Starts the servers for one run.
 *
 * @param hasErrorCodes whether the runtime's errors have a code
 */
export async function openLosses(hasErrorCodes: boolean): Promise<{ losses: Loss[]; close(): void }> {
  const proven = hasErrorCodes ? "not_sent" : "unknown";
  const closes = await listen((socket) => socket.end());
  const resets = await listen((socket) => socket.resetAndDestroy());
  // A second attempt finds the port closed, which proves nothing about the first.
  const goes = await listen((socket, server) => {
    server.close();
    socket.end();
  });
  // Nothing may listen on it.
  const refusing = `http://127.0.0.1:${await freePort()}`;
  const shared = [
    { name: "a closed port", url: refusing, warm: false, outcome: proven },
    { name: "a connection that closes", url: urlOf(closes), warm: false, outcome: "unknown" },
    { name: "a connection that is reset", url: urlOf(resets), warm: false, outcome: "unknown" },
    { name: "a reused connection of a server that shuts down", url: urlOf(goes), warm: true, outcome: "unknown" },
  ] as const;
  // Other runtimes report these as unknown, and workerd prints a stack for each.
  const withCodes = [
    { name: "a host that does not exist", url: "https://api.invalid", warm: false, outcome: "not_sent" },
    { name: "TLS to a plain port", url: urlOf(closes, "https"), warm: false, outcome: "unknown" },
  ] as const;
  return {
    losses: [...shared, ...(hasErrorCodes ? withCodes : [])],
    close() {
      for (const server of [closes, resets, goes]) server.close();
    },
  };
}
