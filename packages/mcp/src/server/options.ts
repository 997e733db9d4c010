import type { Backend } from "@call-transfer/backend";
import type { ClientOptions } from "@call-transfer/sdk";
import type { SaveSecret } from "../tools/operation-tools.ts";

/** A running mock server. */
export interface MockServerAddress {
  /** Base URL, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The control token, which a server prints when other machines can reach it. */
  readonly controlToken?: string | undefined;
  /** The sandbox to act on; `default` by default. */
  readonly sandbox?: string | undefined;
  /** The API key to send; that of the demo data by default. */
  readonly apiKey?: string | undefined;
}

/** A real platform, and what may be done there besides reading. */
export interface PlatformOptions {
  /**
   * Options of the SDK's client. `baseUrl` and `apiKey` are read from the environment where they are absent. With
   * `accountId`, the tools act on this account only.
   */
  readonly client?: ClientOptions | undefined;
  /** Offers the operations that place calls; false by default. */
  readonly allowCalls?: boolean | undefined;
  /** Offers the other operations that change something; false by default. */
  readonly allowChanges?: boolean | undefined;
  /** Keeps new secrets, which the assistant does not see. Without it, operations that return one are not offered. */
  readonly saveSecret?: SaveSecret | undefined;
}

/** The target of the tools: at most one of the three. Without any, a new backend with the demo data. */
export interface McpServerOptions {
  /** A backend in this process, created with `controlPlane: true`. */
  readonly backend?: Backend | undefined;
  /** The API key to send to `backend`; that of the demo data by default. */
  readonly apiKey?: string | undefined;
  /** A running mock server. */
  readonly mockServer?: MockServerAddress | undefined;
  /** A real platform. */
  readonly platform?: PlatformOptions | undefined;
}

/** An option is invalid, or the server that it names cannot be used. Nothing was called. */
export class OptionError extends Error {
  /** Tells it from other errors, also across copies of the package. */
  override readonly name = "OptionError";
  /** The option to change, such as `mockServer.url`. */
  readonly option: string;

  /** The message says what is wrong, then what to do. It never holds a secret. */
  constructor(option: string, message: string) {
    super(message);
    this.option = option;
  }
}
