import { createRequire } from "node:module";
import { bracketed } from "./gate.ts";

export interface PrismServerOptions {
  /** Port to listen on; 4010 by default, 0 takes a free one. */
  readonly port?: number;
  /** Address to bind; 127.0.0.1 by default. */
  readonly host?: string;
  /** Whether pages of other sites may use it; Prism knows all of them or none, which is the default. */
  readonly cors?: boolean;
  /**
   * Base address of a server to stand in front of, instead of answering with examples. Requests are passed on as they
   * are; what the server's answers break of the contract is listed in the header `sl-violations`.
   */
  readonly upstream?: string;
}

/** A running Prism. */
export interface PrismServer {
  /** Base address, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** The part of Prism that is used; its packages are no dependency, so their types are not at hand. */
interface PrismModules {
  getHttpOperationsFromSpec(document: object): Promise<readonly unknown[]>;
  createLogger(name: string, options: { readonly level: string }): unknown;
  createServer(
    operations: readonly unknown[],
    options: { readonly cors: boolean; readonly components: { readonly logger: unknown }; readonly config: object },
  ): { listen(port: number, host: string): Promise<string>; close(): Promise<void> };
}

/**
 * Finds Prism from where `resolver` looks, through the package that people install.
 * Throws an Error that tells how to install it when it is missing.
 */
export function loadPrism(resolver: NodeJS.Require): PrismModules {
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
 * Serves the contract's document with Prism: every answer is an example of the document, and nothing is kept.
 * Rejects when Prism is not installed, saying how to install it, or when the port is taken, naming it.
 */
export async function startPrismServer(options: PrismServerOptions = {}): Promise<PrismServer> {
  const { port = 4010, host = "127.0.0.1", cors = false, upstream } = options;
  const resolver = createRequire(import.meta.url);
  const prism = loadPrism(resolver);
  const document: object = resolver("@call-transfer/spec/openapi.json");
  const server = prism.createServer(await prism.getHttpOperationsFromSpec(structuredClone(document)), {
    cors,
    components: { logger: prism.createLogger("Prism", { level: "silent" }) },
    config: {
      // In front of a server it is the answers that are looked at; requests may be wrong on purpose.
      ...(upstream === undefined ? { isProxy: false } : { isProxy: true, upstream: new URL(upstream) }),
      checkSecurity: upstream === undefined,
      validateRequest: upstream === undefined,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
  });
  // Prism rejects with a text.
  const address = await server.listen(port, host).catch((reason: unknown) => {
    const isBusy = String(reason).includes("EADDRINUSE");
    throw new Error(isBusy ? `Port ${port} on ${host} is in use; choose another one.` : String(reason));
  });
  const taken = Number(address.slice(address.lastIndexOf(":") + 1));
  return { url: `http://${bracketed(host)}:${taken}`, port: taken, close: () => server.close() };
}
