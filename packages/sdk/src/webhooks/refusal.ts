import { CodedError, type WebhookErrorCode } from "./codes.ts";

/** A webhook that gets an answer other than its handler's. The message is sent. */
export class Refusal extends CodedError {
  override readonly name = "WebhookRefusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: WebhookErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(message, code, cause);
    this.status = status;
    this.headers = headers;
  }
}
