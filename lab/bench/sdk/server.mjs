// Answers every request with the same small JSON body. Runs in a process of its own and prints its port.
import { createServer } from "node:http";
import { body, headers } from "./body.mjs";

const server = createServer((_, response) => response.writeHead(200, headers).end(body));
// Longer than the run, so that no client has to open a connection in a measured call.
server.keepAliveTimeout = 3_600_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
