// What the mock server is compared with: the same answers from servers that do nothing for them but what JSON over HTTP
// takes: reading and parsing the body of a POST, and writing the answer as JSON.
import { createServer } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [kind, port, getBody, postBody] = process.argv.slice(2);
const [getAnswer, postAnswer] = [getBody, postBody].map((text) => JSON.parse(text));
const json = { "Content-Type": "application/json" };

if (kind === "node:http") {
  createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, json).end(JSON.stringify(getAnswer));
      return;
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(201, json).end(JSON.stringify(postAnswer));
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
