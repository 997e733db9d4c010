// Receives offers with Fastify.
import { toNodeHandler } from "@call-transfer/sdk/webhooks";
import Fastify from "fastify";
import { offers } from "./offers.ts";

const app = Fastify({ logger: true });
const receive = toNodeHandler(offers);

app.register(async (scope) => {
  // For the routes of this scope alone: keeps the bytes, of which the signature is.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  scope.post("/offers", (request, reply) => {
    reply.hijack();
    return receive(request, reply.raw);
  });
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? "3000") });
