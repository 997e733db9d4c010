// What the programs in TypeScript know of the mock server, and how they print what they read.
function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}

export const baseUrl = variable("CALL_TRANSFER_BASE_URL");
export const apiKey = variable("CALL_TRANSFER_API_KEY");
export const memberId = variable("MEMBER_ID");
export const appId = variable("APP_ID");
export const call = {
  flowId: variable("FLOW_ID"),
  fromNumber: variable("FROM_NUMBER"),
  toNumber: variable("TO_NUMBER"),
};
const members = [{ destinationId: appId }, { destinationId: variable("PHONE_ID"), ringTimeoutSecs: 20 }];
export const dayGroup = { name: "Day shift", members };
export const lateGroup = { name: "Late shift", members };
export const page = { limit: 2, startDate: "2026-03-01T00:00:00Z" };

type Word = string | number | null | undefined;

/** Prints the operation, the status and what was read from the response. */
export const show = (operation: string, status: number, ...read: readonly Word[]): void =>
  console.log([operation, status, ...read].join(" "));

/** The parts of an error response that the programs print. */
interface ReadError {
  readonly code: string;
  readonly errors?: readonly { readonly field: string; readonly code: string }[] | null | undefined;
  readonly meta?: { readonly retryAfterSecs?: number | undefined } | null | undefined;
}

/** Prints an error response. */
export function showError(operation: string, status: number, { code, errors, meta }: ReadError): void {
  const fields = (errors ?? []).flatMap((error) => [error.field, error.code]);
  const wait = meta?.retryAfterSecs === undefined ? [] : [meta.retryAfterSecs];
  show(operation, status, code, ...fields, ...wait);
}
