// Receives offers with Express.
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import express from "express";
import { offers } from "./offers.ts";

const { PORT = "3000" } = process.env;
const app = express();
// Before app.use(express.json()): the signature is of the bytes, which a parser would consume.
app.post("/offers", toNodeHandler(offers));

app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${PORT}`));
