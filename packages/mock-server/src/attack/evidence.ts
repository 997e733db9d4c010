// What was sent and what came, for those who must fix a finding. No signing secret is in it.
import type { Reply } from "./deliver.ts";
import { describe, type SentDelivery } from "./sender.ts";

const longestBody = 2000;
const longestAnswer = 300;

/** The forms in which an answer may quote a secret. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const [base64, base64url] = [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  return [...new Set([secret, base64, base64url, bytes.toString("hex"), encodeURIComponent(secret)])];
}

/** Returns a delivery and its answer as text, without the secrets. */
export function evidenceOf(exchange: SentDelivery, secrets: readonly string[]): { sent: string; answer: string } {
  // The longest first: another one may be its start.
  const forms = secrets.flatMap(formsOf).sort((one, other) => other.length - one.length);
  const redact = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
  return { sent: redact(curlOf(exchange)), answer: answerOf(exchange.reply, redact) };
}

/** Redacts before it cuts, which may leave a part of a secret. */
function answerOf(reply: Reply, redact: (text: string) => string): string {
  const text = printable(redact(reply.body).trim());
  const shown = text.length > longestAnswer ? `${text.slice(0, longestAnswer)}…` : text;
  const status = redact(describe(reply));
  return shown === "" ? status : `${status}: ${shown}`;
}

/** Control characters would change what a terminal shows. */
const printable = (text: string) =>
  text.replaceAll(/\p{Cc}/gu, (character) => (character === "\n" ? " " : JSON.stringify(character).slice(1, -1)));

/** The command that sends the message, or words if there is none of a sensible length. */
function curlOf({ message: { method, headers, parts }, url }: SentDelivery): string {
  const body = Buffer.concat(parts);
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const sent = [
    `curl -X ${method} ${quoted(url)}`,
    // Otherwise curl names the type of a form.
    ...(isTyped ? [] : ["-H content-type:"]),
    ...Object.entries(headers)
      .filter(([name]) => name !== "content-length")
      .map(([name, value]) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`),
  ];
  const isChunked = headers["content-length"] === undefined;
  const isShort = body.length <= longestBody && sent.every((line) => line.length <= longestBody);
  const declared = Number(headers["content-length"] ?? body.length);
  if (!isShort || declared !== body.length || (isChunked && parts.length === 0))
    return `${method} ${url}, by the check itself: a command would be too long, or cannot send it.`;
  if (isChunked) sent.push("-H 'Transfer-Encoding: chunked'");
  return [...sent, `--data-binary ${quotedBytes(body)}`].join(" \\\n  ");
}

const quoted = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Bytes that are not text are written for bash. */
function quotedBytes(bytes: Buffer): string {
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text)) return quoted(text);
  const written = [...bytes].map((byte) =>
    byte >= 32 && byte < 127 && byte !== 39 && byte !== 92
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return `$'${written.join("")}'`;
}
