import type { FieldError } from "../generated/models.gen.ts";
import { isText } from "../utils/guards.ts";
import { excerpt } from "../utils/redact.ts";
import type { ApiErrorDetails } from "./details.ts";
import { withRetryReason } from "./request-error.ts";

/** Characters kept of a body that is not the API's: enough to recognize a proxy's page. */
export const maxBodyText = 2000;

/** The entries of a list that name a field and a code. Servers may send anything. */
export const fieldErrorsIn = (errors: unknown): FieldError[] | undefined =>
  Array.isArray(errors)
    ? errors.filter((error): error is FieldError => isText(error?.field) && isText(error?.code))
    : undefined;

/** Lists up to five failing fields. Logs often hold nothing but the message. */
function formatFields(errors: readonly FieldError[] = []): string {
  if (errors.length === 0) return "";
  const fields = errors.slice(0, 5).map(({ field, code }) => `${excerpt(field, 100)} ${excerpt(code, 100)}`);
  return ` (${fields.join(", ")}${errors.length > 5 ? ", …" : ""})`;
}

/** Quotes a body that is not the API's: its text, or the title of a page. */
function formatBody(bodyText = ""): string {
  const start = bodyText.slice(0, maxBodyText);
  const [, title] = /<title[^>]*>([^<]+)/i.exec(start) ?? [];
  const text = excerpt(title ?? (/^\s*</.test(start) ? "" : start), 200);
  return text && `: "${text}"`;
}

function formatProblem({ status, body, bodyText, outcome }: ApiErrorDetails): string {
  const isRedirect = status < 400 && status !== 304 && outcome === "rejected";
  if (isRedirect) return ", a redirect, which is not followed: check baseUrl";
  const { code, detail, errors } = body ?? {};
  if (!isText(code))
    return ` without an API error body${status === 404 ? " (check baseUrl)" : ""}${formatBody(bodyText)}`;
  return ` ${excerpt(code, 100)}${isText(detail) ? `: ${excerpt(detail)}` : ""}${formatFields(fieldErrorsIn(errors))}`;
}

export function formatMessage(details: ApiErrorDetails): string {
  const { status, method, operationId, requestId, outcome } = details;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  // A refusal leaves the outcome unknown only after an attempt that may have been carried out.
  const isEffect = status === 409 || (method === "DELETE" && (status === 404 || status === 410));
  const hint =
    isEffect && outcome === "unknown" ? "; an earlier attempt whose response was lost may have caused it" : "";
  return withRetryReason(`${operationId} answered ${status}${formatProblem(details)}${request}${hint}`, details);
}
