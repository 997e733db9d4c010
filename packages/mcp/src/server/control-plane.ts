// The control plane of a mock, in this process or of a running server.

import { addressOf, type JsonObject, operationsIn } from "@call-transfer/backend/unstable";
import { ConfigurationError } from "@call-transfer/sdk";
import type { ControlPlane } from "../tools/tool.ts";

/** The mock refused a request to its control plane, or did not answer. The message holds no token. */
class ControlPlaneError extends Error {
  override readonly name = "ControlPlaneError";
  /** The code of the mock's refusal; undefined without an answer in its form. */
  readonly code: unknown;

  constructor(message: string, code?: unknown) {
    super(message);
    this.code = code;
  }
}

/** Where a control plane is. */
export interface ControlAddress {
  readonly url: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly token?: string | undefined;
  readonly sandbox?: string | undefined;
}

const documentPath = "/_control/v1/openapi.json";

/** @throws {ConfigurationError} There is no control plane at this address. */
export async function openControlPlane(address: ControlAddress, option: string): Promise<ControlPlane> {
  checkToken(address, option);
  const document = await send(address, "GET", documentPath, undefined, undefined).catch((error: Error) => {
    refuseUnknownSandbox(address, option, error);
    const fix = `Start it with npx @call-transfer/mock-server, or correct ${option}.`;
    throw new ConfigurationError(
      option,
      `names ${address.url}, which cannot be controlled as a mock server. ${error.message} ${fix}`,
    );
  });
  const operations = operationsIn((document ?? {}) as JsonObject);
  if (operations.size === 0)
    throw new ConfigurationError(
      option,
      `names ${address.url}, which is not a mock server. Start one with npx @call-transfer/mock-server.`,
    );
  return {
    operations,
    call: (operation, { body, ...parts }, signal) =>
      send(
        address,
        operation.method,
        addressOf(operation.path, parts),
        operation.body === undefined ? undefined : (body ?? {}),
        signal,
      ),
  };
}

/** Headers would name a token that they cannot hold. */
function checkToken({ token }: ControlAddress, option: string): void {
  try {
    headersWith(token);
  } catch {
    throw new ConfigurationError(`${option}.controlToken`, "has characters that a header cannot hold. Correct it.");
  }
}

function headersWith(token: string | undefined): Headers {
  return new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
}

function refuseUnknownSandbox({ sandbox, url }: ControlAddress, option: string, { message }: Error): void {
  const missing = `There is no sandbox "${sandbox}"`;
  if (sandbox === undefined || !message.startsWith(missing)) return;
  const at = url === "http://127.0.0.1:4010" ? "" : ` --url ${url}`;
  const fix = `Create it with npx @call-transfer/mock-server sandbox create ${sandbox}${at}, or start the mock server with --auto-sandboxes.`;
  // Otherwise, the server says what is wrong with the name.
  throw new ConfigurationError(
    `${option}.sandbox`,
    message.startsWith(`${missing}.`) ? `is "${sandbox}", which does not exist. ${fix}` : `is not valid. ${message}`,
  );
}

async function send(
  { url, fetch, token, sandbox }: ControlAddress,
  method: string,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const headers = headersWith(token);
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
  throw new ControlPlaneError(withoutToken(messageIn(data), token), Object(Object(data).error).code);
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
