// A platform with a login and campaigns, for the commands in pages. Its port is the variable PORT.
import { createServer } from "node:http";

const port = Number(process.env.PORT);
createServer(({ url = "" }, response) => {
  const body =
    url === "/api/v1/login" ? { accessToken: "staging-1" } : { id: url.split("/").at(-1), status: "running" };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(port, "127.0.0.1", () => console.log(`answering at http://127.0.0.1:${port}`));
