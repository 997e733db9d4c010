import { createRequire } from "node:module";
import { bracketed } from "../net/urls.ts";

/** The options of {@link startPrismServer}. */
export interface PrismServerOptions {
  /** Port to listen on; 4010 by default. 0 picks a free one. */
  readonly port?: number;
  /** Address to bind; 127.0.0.1 by default. */
  readonly host?: string;
  /** Whether pages of all other origins may use it; false by default. Prism cannot allow single origins. */
  readonly cors?: boolean;
}

/** A running Prism server. */
export interface PrismServer {
  /** Base URL, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** The functions of Prism that are used. Its packages are not a dependency, so their types are not available. */
interface PrismModules {
  getHttpOperationsFromSpec(document: object): Promise<readonly unknown[]>;
  createLogger(name: string, options: { readonly level: string }): unknown;
  createServer(
    operations: readonly unknown[],
    options: { readonly cors: boolean; readonly components: { readonly logger: unknown }; readonly config: object },
  ): { listen(port: number, host: string): Promise<string>; close(): Promise<void> };
}

/**
 * Loads the parts of `@stoplight/prism-cli`, resolved by `resolver`.
 * Throws an Error that says how to install Prism when it is missing.
 */
function loadPrism(resolver: NodeJS.Require): PrismModules {
  let path: string;
  try {
    path = resolver.resolve("@stoplight/prism-cli/package.json");
  } catch (error) {
    throw new Error("Prism is not installed. Install it with: npm install --save-dev @stoplight/prism-cli", {
      cause: error,
    });
  }
  const load = createRequire(path);
  return {
    ...load("@stoplight/prism-core"),
    ...load("@stoplight/prism-http"),
    ...load("@stoplight/prism-http-server"),
  };
}

/**
 * Serves the OpenAPI document with Prism, statelessly: every response is an example from the document.
 * Rejects when Prism is not installed, with the command that installs it, and when the port is in use.
 */
export async function startPrismServer(options: PrismServerOptions = {}): Promise<PrismServer> {
  const { port = 4010, host = "127.0.0.1", cors = false } = options;
  const resolver = createRequire(import.meta.url);
  const prism = loadPrism(resolver);
  const document: object = resolver("@call-transfer/spec/openapi.json");
  const server = prism.createServer(await prism.getHttpOperationsFromSpec(structuredClone(document)), {
    cors,
    components: { logger: prism.createLogger("Prism", { level: "silent" }) },
    config: {
      ...{ isProxy: false, checkSecurity: true, validateRequest: true, validateResponse: true },
      ...{ errors: false, mock: { dynamic: false } },
    },
  });
  // Prism rejects with a string.
  const address = await server.listen(port, host).catch((reason: unknown) => {
    const isBusy = String(reason).includes("EADDRINUSE");
    throw new Error(isBusy ? `Port ${port} on ${host} is in use. Choose another one.` : String(reason));
  });
  const actualPort = Number(address.slice(address.lastIndexOf(":") + 1));
  return { url: `http://${bracketed(host)}:${actualPort}`, port: actualPort, close: () => server.close() };
}
