// What the mock server is compared with: the same answers from servers that do nothing for them.
import { createServer } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [kind, port, getBody, postBody] = process.argv.slice(2);
const json = { "Content-Type": "application/json" };

if (kind === "node:http") {
  createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, json).end(getBody);
      return;
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(201, json).end(postBody);
    });
  }).listen(Number(port), "127.0.0.1");
} else {
  const app = new Hono();
  app.get("*", (context) => context.body(getBody, 200, json));
  app.post("*", async (context) => {
    await context.req.json();
    return context.body(postBody, 201, json);
  });
  serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
}
