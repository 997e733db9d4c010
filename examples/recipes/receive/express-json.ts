// Receives offers with Express behind express.json().
//   npm install express @call-transfer/sdk
//   NODE_ENV=production OFFER_SECRETS_FILE=… node express-json.ts
// Without NODE_ENV=production, Express shows its stack to the sender of a body that is not JSON.
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import express from "express";
import { offers } from "./offers.ts";

const app = express();
// Keeps the bytes, of which the signature is.
app.use(express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) }));
app.post("/offers", toNodeHandler(offers));

app.listen(Number(process.env.PORT ?? "3000"), "127.0.0.1");
