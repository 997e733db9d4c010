// Receives offers with Hono.
//   npm install hono @hono/node-server @call-transfer/sdk
//   OFFER_SECRETS_FILE=… node hono.ts
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { offers } from "./offers.ts";

const app = new Hono();
app.post("/offers", (context) => offers(context.req.raw));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? "3000") });
