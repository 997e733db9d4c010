import { InputError, type SandboxesOptions } from "@call-transfer/backend";
import { isHttp, isOrigin } from "./urls.ts";

/** The options of `startMockServer`. */
export interface MockServerOptions extends SandboxesOptions {
  /** Port to listen on; 4010 by default. 0 picks a free one. */
  readonly port?: number;
  /**
   * Address to bind; 127.0.0.1 by default. IPv6 with or without brackets. If other machines can reach it, the control
   * plane requires `MockServer.controlToken`.
   */
  readonly host?: string;
  /** Accepted host names, in addition to `host` and the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Other origins whose pages may use the API (CORS), e.g. `http://localhost:5173`; none by default. */
  readonly corsOrigins?: readonly string[];
  /** URL to deliver all webhooks to, instead of the destinations' own URLs. */
  readonly forwardWebhooks?: string;
}

/** The highest port number. */
export const highestPort = 65_535;

/** Checks the options of the server, not those of its sandboxes. Throws InputError that names the wrong one. */
export function checkServerOptions(options: MockServerOptions): void {
  const { port, host, allowedHosts = [], corsOrigins = [], forwardWebhooks } = options;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= highestPort))
    throw new InputError("port", `must be a whole number from 0 to ${highestPort}`);
  // An empty address would bind all addresses of the machine.
  if (host !== undefined && (typeof host !== "string" || host === ""))
    throw new InputError("host", "must be an address, such as 127.0.0.1");
  eachText("allowedHosts", allowedHosts, (name) => name !== "", "must be a host name");
  eachText(
    "corsOrigins",
    corsOrigins,
    isOrigin,
    "must be an origin without a path or trailing slash, such as http://localhost:5173",
  );
  if (forwardWebhooks !== undefined && !isHttp(forwardWebhooks))
    throw new InputError(
      "forwardWebhooks",
      "must be an http or https URL without user name and password, such as http://127.0.0.1:4011",
    );
}

function eachText(field: string, list: readonly string[], isGood: (text: string) => boolean, message: string): void {
  if (!Array.isArray(list)) throw new InputError(field, "must be a list");
  for (const [index, text] of list.entries())
    if (typeof text !== "string" || !isGood(text)) throw new InputError(`${field}[${index}]`, message);
}
