// Which errors of fetch prove that no byte of the request was sent. not-sent.test.ts has a row for each known error.
import { isText } from "../utils/guards.ts";

/** System calls before a connection exists. If they fail, nothing was sent, whatever the code. */
const beforeConnection = /^(?:connect|getaddrinfo|query\w+)$/;

/**
 * Codes that prove it in an error without a system call. In `read` or `write` the same code proves nothing. Bun's
 * `ConnectionRefused` is left out: before 1.3.14, Bun resends a lost POST and reports this code if that is refused.
 */
const provingCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:CONNECT_TIMEOUT|CLOSED|PRX_TLS)|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(?:GET_ISSUER_CERT\w*|VERIFY_LEAF_SIGNATURE)|INVALID_(?:CA|PURPOSE))$/;

/**
 * Whether an error of fetch proves that nothing was sent. Every error in it with a system call or a code must prove it,
 * and so must every address that was tried. Messages prove nothing: Deno says "Connection refused" after sending a POST.
 */
export function provesUnsent(error: unknown, depth = 5): boolean {
  const { errors, syscall, code, cause } = Object(error) as Readonly<Record<string, unknown>>;
  const isMany = Array.isArray(errors);
  const parts: readonly unknown[] = isMany ? errors : cause === undefined ? [] : [cause];
  // Node gives an AggregateError the code of its first part.
  const isPlain = isMany || (syscall ?? code) === undefined;
  const proves = syscall === undefined ? isText(code, provingCodes) : isText(syscall, beforeConnection);
  return depth > 0 && (isPlain ? parts.length > 0 : proves) && parts.every((part) => provesUnsent(part, depth - 1));
}
