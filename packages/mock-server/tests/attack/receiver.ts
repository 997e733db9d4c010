// A correct receiver in steps, each of which a test can replace by a careless one.
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What a request carries, as the steps see it. */
export interface Delivery {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly header: string;
  /** The body as JSON, if it is an object. */
  readonly event: Readonly<Record<string, unknown>> | undefined;
}

export interface Steps {
  readonly secrets: readonly string[];
  readonly toleranceSecs: number;
  readonly maxBodyBytes: number;
  /** Whether it answers 202 before it reads the delivery. */
  readonly answersFirst: boolean;
  /** Whether the method is taken as POST. */
  isPost(request: IncomingMessage): boolean;
  /** Whether the delivery needs a signature. */
  needsSignature(delivery: Delivery): boolean;
  /** The secrets of a delivery. */
  secretsOf(delivery: Delivery, secrets: readonly string[]): readonly string[];
  /** The bytes that are signed. */
  signedBody(body: Buffer): Buffer | string;
  /** The signatures that may be the right one, of those in the header. */
  signatures(all: readonly string[]): readonly string[];
  /** Verifies the whole header in place of its parts. */
  isWholeHeader?(header: string, expected: readonly string[]): boolean;
  isFresh(time: string, toleranceSecs: number): boolean;
  /** Compares a signature of the header with the expected one. */
  isSame(given: string, expected: string): boolean;
  /** Looks at a delivery before its signature, and may answer it. `known` has the answers by key. */
  before(delivery: Delivery, known: Map<string, Promise<Answer>>): Promise<Answer> | undefined;
  /** The key by which copies are recognized. */
  keyOf(delivery: Delivery): string;
  /** The answer to a copy, of the first one's. */
  repeat(first: Promise<Answer>): Promise<Answer>;
  /** Called after an answer was remembered. */
  forget(known: Map<string, Promise<Answer>>, key: string): void;
  /** The body of a refusal. */
  refusal(error: Error, expected: string): string;
}

const correct: Steps = {
  secrets: [],
  toleranceSecs: 300,
  maxBodyBytes: 1024 * 1024,
  answersFirst: false,
  isPost: ({ method }) => method === "POST",
  needsSignature: () => true,
  secretsOf: (_delivery, secrets) => secrets,
  signedBody: (body) => body,
  signatures: (all) => all,
  isFresh: (time, toleranceSecs) => Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSecs,
  isSame(given, expected) {
    const [one, other] = [Buffer.from(given), Buffer.from(expected)];
    return one.length === other.length && timingSafeEqual(one, other);
  },
  before: () => undefined,
  keyOf: ({ event }) => String(event?.id),
  repeat: (first) => first,
  forget: () => {},
  refusal: () => "refused",
};

class Refusal extends Error {
  readonly status: number;
  readonly expected: string;
  constructor(status: number, message: string, expected = "") {
    super(message);
    this.status = status;
    this.expected = expected;
  }
}

/** Starts a receiver with these steps on a free port. Returns its address, and how often it handled each event. */
export async function startReceiver(changes: Partial<Steps>) {
  const steps: Steps = { ...correct, ...changes };
  const handled = new Map<string, number>();
  const known = new Map<string, Promise<Answer>>();
  const handle = async ({ event }: Delivery): Promise<Answer> => {
    const id = String(event?.id);
    handled.set(id, (handled.get(id) ?? 0) + 1);
    return { status: 200, body: JSON.stringify({ handled: id }) };
  };
  const receive = async (request: IncomingMessage): Promise<Answer> => {
    if (!steps.isPost(request)) throw new Refusal(405, "Webhooks are sent by POST.");
    const body = await readBody(request, steps.maxBodyBytes);
    const header = String(request.headers["service-signature"] ?? "");
    const delivery: Delivery = { request, body, header, event: objectOf(body) };
    const early = steps.before(delivery, known);
    if (early !== undefined) return early;
    if (steps.needsSignature(delivery)) verify(delivery, steps);
    if (typeof delivery.event?.id !== "string") throw new Refusal(400, "The body is not an event.");
    const key = steps.keyOf(delivery);
    const first = known.get(key);
    if (first !== undefined) return steps.repeat(first);
    const answer = handle(delivery);
    known.set(key, answer);
    steps.forget(known, key);
    return answer;
  };
  const server = createServer((request, response) => {
    response.setHeader("connection", "close");
    const send = ({ status, body }: Answer): void => {
      if (!response.headersSent) response.writeHead(status).end(body);
    };
    if (steps.answersFirst) send({ status: 202, body: "" });
    receive(request).then(send, (error: Error) => {
      const { status, expected } = error instanceof Refusal ? error : new Refusal(500, error.message);
      send({ status, body: steps.refusal(error, expected) });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`;
  return { url, handled: () => handled, close: () => server.close().closeAllConnections() };
}

async function readBody(request: IncomingMessage, maxBodyBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Refusal(413, "The body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function objectOf(body: Buffer): Delivery["event"] {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null ? (value as Delivery["event"]) : undefined;
  } catch {
    return undefined;
  }
}

const digestOf = (secret: string, time: string, body: Buffer | string): string =>
  createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");

function verify(delivery: Delivery, steps: Steps): void {
  const { header, body } = delivery;
  if (header.length > 4096) throw new Refusal(400, "The signature header is too long.");
  const parts = header.split(",");
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time, ...otherTimes] = valuesOf("t");
  if (time === undefined || otherTimes.length > 0) throw new Refusal(400, "The header has not one time.");
  if (!/^\d{1,12}$/.test(time)) throw new Refusal(400, "The time is no number.");
  const secrets = steps.secretsOf(delivery, steps.secrets);
  const expected = secrets.map((secret) => digestOf(secret, time, steps.signedBody(body)));
  const isGenuine =
    steps.isWholeHeader?.(
      header,
      expected.map((digest) => `t=${time},v1=${digest}`),
    ) ?? steps.signatures(valuesOf("v1")).some((given) => expected.some((digest) => steps.isSame(given, digest)));
  if (!isGenuine) throw new Refusal(400, "The signature does not match.", expected[0]);
  if (!steps.isFresh(time, steps.toleranceSecs)) throw new Refusal(400, "The time is wrong.");
}
