import { type OperationId, operations } from "@call-transfer/spec";
import type { ControlResult } from "./live.ts";
import type { Session } from "./session.ts";

/** Sends a request of an operation to the API, as the owner of the first account. Throws an Error without a token. */
export async function callApi(
  session: Session,
  operationId: OperationId,
  {
    params = {},
    body,
  }: {
    /** Values of the path's parameters by name. */
    readonly params?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
): Promise<ControlResult> {
  const { method, path } = operations[operationId];
  const address = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const request = new Request(session.source.baseUrl + address, {
    method,
    ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const response = await session.credentials.send("owner", request);
  const text = await response.text();
  const data: unknown = text === "" ? undefined : JSON.parse(text);
  return response.ok ? { data, response } : { error: data, response };
}
