// Failures in the form that the client understands: a system call before the connection proves that nothing was sent.

/** The parts of an error of Node that are shown. Several addresses fail with one error each. */
interface Parts {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
}

const beforeConnection = /^(?:connect|getaddrinfo|query\w+)$/;

const messageOf = (error: unknown): string => {
  const { message, errors }: Parts = Object(error);
  if (typeof message === "string" && message !== "") return message;
  return Array.isArray(errors) ? [...new Set(errors.map(messageOf))].join(", ") : String(error);
};

/**
 * Returns the `TypeError` that `fetch` rejects with. The `syscall` of its cause is `connect`, or that of the lookup, exactly if
 * no byte of the request was written to a connection, whatever Node calls it.
 */
export function failureOf(error: unknown, mayHaveLeft: boolean): TypeError {
  const { code, syscall }: Parts = Object(error);
  const isEarly = typeof syscall === "string" && beforeConnection.test(syscall);
  const shown = isEarly !== mayHaveLeft && syscall !== undefined ? syscall : mayHaveLeft ? "write" : "connect";
  const cause = Object.assign(new Error(messageOf(error)), { syscall: shown }, code !== undefined && { code });
  return new TypeError("fetch failed", { cause });
}

/** Runs what comes before any connection, so that its errors prove that nothing was sent. */
export function beforeSending<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failureOf(error, false);
  }
}

/** An error with a code, as Node's have. */
export const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });
