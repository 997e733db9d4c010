// Receives offers with Express behind express.json().
// Without NODE_ENV=production, Express shows its stack to the sender of a body that is not JSON.
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import express from "express";
import { offers } from "./offers.ts";

const { PORT = "3000" } = process.env;
const app = express();
// Keeps the bytes, of which the signature is.
app.use(express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) }));
app.post("/offers", toNodeHandler(offers));

app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${PORT}`));
