// A receiver as an app without the SDK would write it, and ten bugs to plant in it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** The bugs, by what the receiver does. */
export const bugs = [
  "verifies the parsed body",
  "compares the header as text",
  "verifies the first v1 only",
  "has no tolerance",
  "does not recognize copies",
  "answers 409 to copies",
  "answers before it verifies",
  "accepts only the previous secret",
  "reads a body of any length",
  "sends the error to the sender",
] as const;

export type Bug = (typeof bugs)[number];

export interface HandWrittenReceiver {
  readonly url: string;
  /** How often the app handled each event. */
  readonly handled: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const maxBodyBytes = 1024 * 1024;
const toleranceSecs = 300;

/** Starts the receiver on a free port. Without a bug it is correct. */
export async function startHandWrittenReceiver(
  { secret, previousSecret }: { secret: string; previousSecret: string },
  bug?: Bug,
): Promise<HandWrittenReceiver> {
  const secrets = bug === "accepts only the previous secret" ? [previousSecret] : [secret, previousSecret];
  const handled = new Map<string, number>();
  const answers = new Map<string, Promise<Answer>>();

  const handle = async (id: string): Promise<Answer> => {
    // The app thinks about the offer, so that copies arrive meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    handled.set(id, (handled.get(id) ?? 0) + 1);
    return { status: 200, body: JSON.stringify({ handled: id }) };
  };

  const receive = async (request: IncomingMessage): Promise<Answer> => {
    if (request.method !== "POST") throw new Refusal(405, "Webhooks are sent by POST.");
    const body = await readBody(request, bug);
    verify(body, String(request.headers["service-signature"] ?? ""), secrets, bug);
    const { id } = eventOf(body);
    if (bug === "does not recognize copies") return handle(id);
    const known = answers.get(id);
    if (known !== undefined && bug === "answers 409 to copies") throw new Refusal(409, "Received before.");
    const answer = known ?? handle(id);
    answers.set(id, answer);
    return answer;
  };

  const server = createServer((request, response) => {
    // Whatever is left of an unread body must not be read as the next request.
    response.setHeader("connection", "close");
    const send = ({ status, body }: Answer): void => void response.writeHead(status).end(body);
    if (bug === "answers before it verifies") {
      send({ status: 202, body: "" });
      receive(request).catch(() => {});
      return;
    }
    receive(request).then(send, (error: Error) => {
      const status = error instanceof Refusal ? error.status : 500;
      const body = bug === "sends the error to the sender" ? String(error.stack) : "refused";
      send({ status, body });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, handled, close };
}

async function readBody(request: IncomingMessage, bug: Bug | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes && bug !== "reads a body of any length") throw new Refusal(413, "The body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function eventOf(body: Buffer): { id: string } {
  try {
    const { id } = JSON.parse(body.toString());
    return { id: String(id) };
  } catch {
    throw new Refusal(400, "The body is not an event.");
  }
}

function verify(body: Buffer, header: string, secrets: readonly string[], bug: Bug | undefined): void {
  if (header.length > 4096) throw new Refusal(400, "The signature header is too long.");
  const parts = header.split(",");
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = "", ...otherTimes] = valuesOf("t");
  if (!/^\d{1,12}$/.test(time) || otherTimes.length > 0) throw new Refusal(400, "The header has not one time.");
  const signed = bug === "verifies the parsed body" ? Buffer.from(JSON.stringify(parsed(body))) : body;
  const expected = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${time}.`).update(signed).digest("hex"),
  );
  const signatures = bug === "verifies the first v1 only" ? valuesOf("v1").slice(0, 1) : valuesOf("v1");
  const isGenuine =
    bug === "compares the header as text"
      ? expected.some((digest) => timingSafeEqual(Buffer.from(header), Buffer.from(`t=${time},v1=${digest}`)))
      : signatures.some((signature) => expected.some((digest) => isEqual(signature, digest)));
  if (!isGenuine) throw new Refusal(400, `The signature is not v1=${expected[0]}.`);
  const ageSecs = Date.now() / 1000 - Number(time);
  if (Math.abs(ageSecs) > toleranceSecs && bug !== "has no tolerance") throw new Refusal(400, "The time is wrong.");
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
