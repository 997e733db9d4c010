/** A webhook that gets an answer other than its handler's. The message is sent. */
export class Refusal extends Error {
  override readonly name = "WebhookRefusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.headers = headers;
  }
}
