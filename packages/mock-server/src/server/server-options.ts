import { InputError, type SandboxRegistryOptions } from "@call-transfer/backend";
import { isHttp, isOriginPattern, isPublicUrl, originAdvice } from "../net/urls.ts";
import { controlTokenForm, isControlToken } from "../web/admission.ts";
import { isHostPattern } from "./gate.ts";
import { checkTls, type TlsOptions } from "./tls.ts";

/** The options of `startMockServer`. */
export interface MockServerOptions extends SandboxRegistryOptions {
  /** Port to listen on; 4010 by default. 0 picks a free one. */
  readonly port?: number;
  /**
   * Address to bind; 127.0.0.1 by default. IPv6 with or without brackets. If other machines can reach it, the control
   * plane requires `MockServer.controlToken`.
   */
  readonly host?: string;
  /**
   * The URL at which clients reach the server, when it differs from `host` and `port`: behind a proxy or in a container.
   * `MockServer.url` and everything the server prints show it.
   */
  readonly publicUrl?: string;
  /**
   * Accepted host names, in addition to `host`, the host of `publicUrl` and the loopback names; `*.mock.test` accepts all
   * names below `mock.test`. If other machines can reach the server, IP addresses and names that exist only in private
   * networks are accepted too, such as `host.docker.internal`.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The bearer token that the control plane requires, 16 to 256 characters. By default a random one if other machines can
   * reach the server, by `host`, `publicUrl` or a public name in `allowedHosts`, and none otherwise.
   */
  readonly controlToken?: string;
  /** Certificate and private key for https; without them, the server uses http. */
  readonly tls?: TlsOptions;
  /**
   * Other origins whose pages may use the API (CORS), e.g. `http://localhost:5173`, `capacitor://localhost`; none by default.
   * `https://*.app.github.dev` allows all names below `app.github.dev`.
   */
  readonly corsOrigins?: readonly string[];
  /**
   * SQLite file that keeps all sandboxes beyond the end of the process; by default they are in memory only. It is created if it
   * does not exist. Requires Node 22.13 or newer.
   */
  readonly dataFile?: string;
}

const highestPort = 65_535;

/** Checks the options of the server, not those of its sandboxes. Throws InputError that names the wrong one. */
export function checkServerOptions(options: MockServerOptions): void {
  const { port, host, tls, publicUrl, allowedHosts = [], controlToken, corsOrigins = [], forwardWebhooksTo } = options;
  const { dataFile, stores } = options;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= highestPort))
    throw new InputError("port", `must be a whole number from 0 to ${highestPort}`);
  // An empty address would bind all addresses of the machine.
  if (host !== undefined && (typeof host !== "string" || host === ""))
    throw new InputError("host", "must be an address, such as 127.0.0.1");
  if (tls !== undefined) checkTls(tls);
  if (publicUrl !== undefined && !(typeof publicUrl === "string" && isPublicUrl(publicUrl)))
    throw new InputError(
      "publicUrl",
      "must be an http or https URL without user name, password, query and fragment, such as https://mock.example.test",
    );
  eachText(
    "allowedHosts",
    allowedHosts,
    isHostPattern,
    () => "must be a host name without a port, or a pattern *.mock.test",
  );
  if (controlToken !== undefined && !isControlToken(controlToken))
    throw new InputError("controlToken", controlTokenForm);
  eachText("corsOrigins", corsOrigins, isOriginPattern, originAdvice);
  if (forwardWebhooksTo !== undefined && !isHttp(forwardWebhooksTo))
    throw new InputError(
      "forwardWebhooksTo",
      "must be an http or https URL without user name and password, such as http://127.0.0.1:4011",
    );
  if (dataFile !== undefined && (typeof dataFile !== "string" || dataFile === ""))
    throw new InputError("dataFile", "must be the name of a file, such as mock.db");
  if (dataFile !== undefined && stores !== undefined)
    throw new InputError("dataFile", "does not work with the option stores. Remove one of the two");
}

function eachText(
  field: string,
  list: readonly string[],
  isGood: (text: string) => boolean,
  advice: (text: string) => string,
): void {
  if (!Array.isArray(list)) throw new InputError(field, "must be a list");
  for (const [index, text] of list.entries())
    if (typeof text !== "string" || !isGood(text)) throw new InputError(`${field}[${index}]`, advice(String(text)));
}

/** Parses the base URL of the server that gets what this one does not have. Throws InputError that names the option. */
export function readTarget(address: string): URL {
  const wrong = (message: string): InputError => new InputError("fallbackUrl", message);
  if (typeof address !== "string" || !isHttp(address))
    throw wrong("must be an http or https URL without user name and password, such as https://staging.example.com");
  const url = new URL(address);
  if (url.search !== "" || url.hash !== "") throw wrong("must not have a query or a fragment");
  if (/\/api\/v1\/?$/.test(url.pathname)) throw wrong("must not include /api/v1. Remove it");
  return url;
}
