// Receives offers with Node's own server.
import { createServer } from "node:http";
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import { offers } from "./offers.ts";

const { PORT = "3000" } = process.env;
createServer(toNodeHandler(offers)).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening at http://127.0.0.1:${PORT}`);
});
