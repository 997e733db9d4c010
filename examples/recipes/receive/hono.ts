// Receives offers with Hono.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { offers } from "./offers.ts";

const { PORT = "3000" } = process.env;
const app = new Hono();
app.post("/offers", (context) => offers(context.req.raw));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) }, () =>
  console.log(`listening at http://127.0.0.1:${PORT}`),
);
