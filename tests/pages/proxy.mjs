// A proxy for the commands in pages. It opens tunnels (CONNECT) to this machine. Its port is the variable PORT.
import { createServer } from "node:http";
import { connect } from "node:net";

const port = Number(process.env.PORT);
createServer()
  .on("connect", ({ url = "" }, socket) => {
    const tunnel = connect(Number(new URL(`http://${url}`).port), "127.0.0.1", () =>
      socket.write("HTTP/1.1 200 OK\r\n\r\n"),
    );
    for (const [one, other] of [
      [tunnel, socket],
      [socket, tunnel],
    ])
      one.on("error", () => other.destroy()).pipe(other);
  })
  .listen(port, "127.0.0.1", () => console.log(`requests are taken at http://127.0.0.1:${port}`));
