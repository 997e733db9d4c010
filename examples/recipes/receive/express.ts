// Receives offers with Express.
//   npm install express @call-transfer/sdk
//   OFFER_SECRETS_FILE=… node express.ts
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import express from "express";
import { offers } from "./offers.ts";

const app = express();
// Before app.use(express.json()): the signature is of the bytes, which a parser would consume.
app.post("/offers", toNodeHandler(offers));

app.listen(Number(process.env.PORT ?? "3000"), "127.0.0.1");
