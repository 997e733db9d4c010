// A platform that answers with a text where the contract has a boolean, for the commands in pages. Its port is the variable PORT.
import { createServer } from "node:http";

const memberId = "0f8fad5b-d9cb-469f-a165-70867728950e";
const availability = { memberId, userId: "b0000000-0000-4000-8000-000000000001", status: "available", busy: "no" };
const port = Number(process.env.PORT);
createServer((_request, response) => {
  response
    .writeHead(200, { "content-type": "application/json", "x-request-id": "1" })
    .end(JSON.stringify(availability));
}).listen(port, "127.0.0.1", () => console.log(`answering at http://127.0.0.1:${port}`));
