import type { KeyObject, X509Certificate } from "node:crypto";
import type { RequestListener, Server, ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { InputError } from "@call-transfer/backend";
import { realNow } from "@call-transfer/backend/unstable";
import { loadCrypto, loadHttps } from "./node-builtins.ts";

/** A certificate and its private key, in PEM form. The certificate may be followed by those that lead to its root. */
export interface TlsOptions {
  /** The certificate, followed by the intermediate ones if there are any. */
  readonly cert: string | Uint8Array;
  /** The private key of the certificate. */
  readonly key: string | Uint8Array;
}

/** Checks certificate and key. Throws InputError for `tls.cert` or `tls.key`; its message contains neither. */
export function checkTls({ cert, key }: TlsOptions, now: number = realNow()): void {
  const certificate = readCertificate(cert);
  const validFrom = new Date(certificate.validFrom);
  const validTo = new Date(certificate.validTo);
  if (validTo.getTime() < now)
    throw new InputError("tls.cert", `the certificate expired on ${validTo.toISOString()}. Create a new one`);
  if (validFrom.getTime() > now)
    throw new InputError("tls.cert", `the certificate is not valid before ${validFrom.toISOString()}`);
  if (!certificate.checkPrivateKey(readKey(key)))
    throw new InputError("tls.key", "does not belong to the certificate. Use the key that it was made with");
}

function readCertificate(cert: string | Uint8Array): X509Certificate {
  const text = textOf("tls.cert", cert);
  if (!text.includes("-----BEGIN CERTIFICATE-----"))
    throw new InputError("tls.cert", "must be a certificate in PEM form: a text with -----BEGIN CERTIFICATE-----");
  try {
    return new (loadCrypto().X509Certificate)(text);
  } catch {
    throw new InputError("tls.cert", "is damaged: the certificate cannot be read");
  }
}

function readKey(key: string | Uint8Array): KeyObject {
  const text = textOf("tls.key", key);
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw new InputError("tls.key", "must be a private key in PEM form: a text with -----BEGIN PRIVATE KEY-----");
  if (/BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text))
    throw new InputError("tls.key", "has a password. Remove it: openssl pkey -in key.pem -out plain.pem");
  try {
    return loadCrypto().createPrivateKey(text);
  } catch {
    throw new InputError("tls.key", "is damaged: the key cannot be read");
  }
}

function textOf(field: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  throw new InputError(field, "must be a text or bytes in PEM form");
}

/** The TCP connections below TLS connections, which cannot be reset themselves. */
const connections = new WeakMap<Socket, Socket>();

/** Creates a server that speaks TLS on each connection. */
export function createTlsServer(options: ServerOptions, tls: TlsOptions, listener: RequestListener): Server {
  const { createServer } = loadHttps();
  const [cert, key] = [textOf("tls.cert", tls.cert), textOf("tls.key", tls.key)];
  // The other limits begin after the handshake.
  const limits = options.headersTimeout === undefined ? {} : { handshakeTimeout: options.headersTimeout };
  const server = createServer({ ...options, ...limits, cert, key, minVersion: "TLSv1.2" }, listener);
  const pending = new Map<string, Socket>();
  const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    pending.set(peer, socket);
    socket.once("close", () => pending.delete(peer));
  });
  server.on("secureConnection", (socket) => {
    const connection = pending.get(peerOf(socket));
    if (connection !== undefined) connections.set(socket, connection);
  });
  return server;
}

/** Resets a connection, so that its client sees ECONNRESET. */
export function resetConnection(socket: Socket): void {
  (connections.get(socket) ?? socket).resetAndDestroy();
}
