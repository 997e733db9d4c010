// Receives offers with Node's own server.
//   OFFER_SECRETS_FILE=… node node.ts
import { createServer } from "node:http";
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import { offers } from "./offers.ts";

createServer(toNodeHandler(offers)).listen(Number(process.env.PORT ?? "3000"), "127.0.0.1");
