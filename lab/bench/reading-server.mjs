// Answers every GET with the same small JSON body, and every POST as a placement, as little as that takes: it reads the body of a
// POST. Its argument is the port.
import { createServer } from "node:http";
import { body } from "./clients.mjs";

const placed = '{"type":"initiated","callId":"c0000000-0000-4000-8000-000000000001"}';

/** With its length: without one, Node sends it in chunks. */
function answer(response, status, value) {
  const text = JSON.stringify(JSON.parse(value));
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}

const server = createServer((request, response) => {
  if (request.method === "GET") return answer(response, 200, body);
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answer(response, 201, placed);
  });
});
// Longer than the run, so that no client has to open a connection in a measured call.
server.keepAliveTimeout = 3_600_000;
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
