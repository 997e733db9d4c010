// Answers every GET with the same small JSON body, and every POST as a placement. Runs in a process of its own and prints its port.
import { createServer } from "node:http";
import { body, headers } from "./body.mjs";

const placed = '{"type":"initiated","callId":"c0000000-0000-4000-8000-000000000001"}';
const headersOfPlaced = { ...headers, "content-length": String(placed.length) };

const server = createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(200, headers).end(body);
  request.resume();
  return response.writeHead(201, headersOfPlaced).end(placed);
});
// Longer than the run, so that no client has to open a connection in a measured call.
server.keepAliveTimeout = 3_600_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
