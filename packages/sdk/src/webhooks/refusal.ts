import { CodedError, isCoded, type WebhookErrorCode } from "./codes.ts";

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

/** Whether an error is a refusal, also if another copy of this package made it. */
export const isRefusal = (error: unknown): error is Refusal => isCoded(error) && "status" in error;

export const unavailable = (code: WebhookErrorCode, cause?: unknown): Refusal =>
  new Refusal(503, code, "The webhook cannot be handled now. Send it again.", { "retry-after": "1" }, cause);

export const duplicate = (): Refusal => new Refusal(409, "duplicate", "This webhook was received before.");
