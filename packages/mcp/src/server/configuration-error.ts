/** An option is invalid, or the server that it names cannot be used. Nothing was called. */
export class ConfigurationError extends Error {
  /** Tells it from other errors, also across copies of the package. */
  override readonly name = "ConfigurationError";
  /** The option to change, such as `mockServer.url`. */
  readonly option: string;

  /** The message says what is wrong, then what to do. It never holds a secret. */
  constructor(option: string, message: string) {
    super(message);
    this.option = option;
  }
}
