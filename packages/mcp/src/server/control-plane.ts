// The control plane of a mock, in this process or of a running server.
import { type JsonObject, operationsIn } from "../document/operations.ts";
import type { ControlPlane } from "../tools/control-plane.ts";
import { OptionError } from "./option-error.ts";

/** The mock refused a request to its control plane, or did not answer. The message holds no token. */
export class ControlPlaneError extends Error {
  override readonly name = "ControlPlaneError";
}

/** Where a control plane is. */
export interface ControlAddress {
  readonly url: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly token?: string | undefined;
  readonly sandbox?: string | undefined;
}

const documentPath = "/_control/v1/openapi.json";

/** @throws {OptionError} There is no control plane at this address. */
export async function openControlPlane(address: ControlAddress, option: string): Promise<ControlPlane> {
  const document = await send(address, "GET", documentPath, undefined, undefined).catch((error: Error) => {
    const fix = `Start it with npx @call-transfer/mock-server, or correct ${option}.`;
    throw new OptionError(option, `${address.url} cannot be controlled as a mock server. ${error.message} ${fix}`);
  });
  const operations = operationsIn((document ?? {}) as JsonObject);
  if (operations.size === 0)
    throw new OptionError(
      option,
      `${address.url} is not a mock server. Start one with npx @call-transfer/mock-server.`,
    );
  return {
    operations,
    call: (operation, { path = {}, query = {}, body }, signal) =>
      send(
        address,
        operation.method,
        expanded(operation.path, path) + searchOf(query),
        operation.body === undefined ? undefined : (body ?? {}),
        signal,
      ),
  };
}

const expanded = (template: string, values: Readonly<Record<string, unknown>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return search && `?${search}`;
}

async function send(
  { url, fetch, token, sandbox }: ControlAddress,
  method: string,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const headers = new Headers();
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (sandbox !== undefined) headers.set("x-sandbox", sandbox);
  if (body !== undefined) headers.set("content-type", "application/json");
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  let text: string;
  let isFine: boolean;
  try {
    const response = await fetch(new Request(url + path, { ...init, ...(signal && { signal }) }));
    text = await response.text();
    isFine = response.ok;
  } catch (error) {
    const { message, cause } = Object(error) as { message?: string; cause?: { message?: string } };
    throw new ControlPlaneError(`It did not answer: ${cause?.message || message || String(error)}.`);
  }
  const data = jsonIn(text);
  if (isFine) return data;
  throw new ControlPlaneError(withoutToken(messageIn(data), token));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of a refusal, by the control plane or by the gate in front of it. */
function messageIn(data: unknown): string {
  const { error, detail } = Object(data) as { error?: { message?: unknown }; detail?: unknown };
  return String(error?.message ?? detail ?? "It refused the request without saying why.");
}

const withoutToken = (text: string, token = ""): string => (token === "" ? text : text.replaceAll(token, "[redacted]"));
