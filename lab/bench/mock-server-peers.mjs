// What the mock server is compared with: the same answers from servers that do nothing for them but what JSON over HTTP
// takes: reading and parsing the body of a POST, and writing the answer as JSON.
import { createServer } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [kind, port, getBody, postBody] = process.argv.slice(2);
const [getAnswer, postAnswer] = [getBody, postBody].map((text) => JSON.parse(text));
const json = { "Content-Type": "application/json" };

/** With its length, as a careful server sends it and as the others here do: without one, Node sends it in chunks. */
function answer(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { ...json, "Content-Length": Buffer.byteLength(text) }).end(text);
}

if (kind === "node:http") {
  createServer((request, response) => {
    if (request.method === "GET") return answer(response, 200, getAnswer);
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString());
      answer(response, 201, postAnswer);
    });
  }).listen(Number(port), "127.0.0.1");
} else {
  const app = new Hono();
  app.get("*", (context) => context.body(JSON.stringify(getAnswer), 200, json));
  app.post("*", async (context) => {
    await context.req.json();
    return context.body(JSON.stringify(postAnswer), 201, json);
  });
  serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
}
