// Failed requests as texts for an assistant: what happened, what it means, whether it was carried out, what to do.
import { errorMessage, formatDuration } from "@call-transfer/backend/unstable";
import {
  type AnyApiError,
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  isApiError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionDeniedError,
  RateLimitError,
  RequestError,
  type RequestOutcome,
  ServerError,
} from "@call-transfer/sdk";
import { type ErrorCodeDescription, errorCodes, type OperationDescription } from "@call-transfer/spec";
import { placesCalls } from "./permissions.ts";
import { isTooDeep, toolName } from "./tool.ts";

type Operation = Pick<OperationDescription, "id" | "method" | "scope" | "roles">;

const codes: Readonly<Record<string, ErrorCodeDescription>> = errorCodes;

const outcomes: Readonly<Record<RequestOutcome, string>> = {
  not_sent: "not sent. Nothing was carried out.",
  rejected: "rejected. Nothing was carried out.",
  applied: "applied. The request was carried out, although its answer could not be used.",
  unknown: "unknown. The request may have been carried out.",
};

/** Lines about a failed request. They contain no secret: the SDK removes its credential from what a server sends. */
export async function failureLines(error: unknown, operation: Operation): Promise<string[]> {
  if (!(error instanceof RequestError)) return argumentLines(error, operation);
  const { outcome, requestId } = error;
  const mayBePlaced = outcome === "unknown" && placesCalls(operation);
  return [
    error instanceof OutcomeUnknownError ? lostAnswer(error) : error.message,
    ...(isApiError(error) ? apiLines(error) : []),
    `Outcome: ${mayBePlaced ? "unknown. The call may have been placed." : outcomes[outcome]}`,
    ...(error instanceof OutcomeUnknownError ? await reconciledLines(error) : []),
    `What to do: ${adviceOn(error, operation)}`,
    ...(requestId === undefined || error.message.includes(requestId) ? [] : [`Request ID: ${requestId}`]),
  ];
}

/** The SDK's own message names a method to call, which an assistant cannot. */
const lostAnswer = ({ operationId, cause, message }: OutcomeUnknownError): string =>
  cause instanceof Error ? `The answer to ${operationId} was lost: ${cause.message}` : message;

function argumentLines(error: unknown, { id }: Operation): string[] {
  const advice =
    error instanceof ConfigurationError
      ? `Set ${error.option} correctly. The user may have to restart this server with other options.`
      : "Correct the arguments and call again.";
  return [
    `${toolName(id)} was not called: ${errorMessage(error)}`,
    `Outcome: ${outcomes.not_sent}`,
    `What to do: ${advice}`,
  ];
}

function apiLines({ code, status, errors = [], meta }: AnyApiError): string[] {
  const { meaning } = codes[code ?? ""] ?? {};
  return [
    `Code: ${code ?? "none"} (status ${status})`,
    ...(meaning === undefined ? [] : [`Meaning: ${meaning}`]),
    ...errors.map(({ field, code: problem }) => `Field ${field}: ${problem}`),
    ...(meta === undefined ? [] : [`Context: ${JSON.stringify(meta)}`]),
  ];
}

/** How many calls are shown that a placement may have become. The explanation has their number. */
const shownCandidates = 20;

/** The present state of the platform. Reading it changes nothing. */
async function reconciledLines(error: OutcomeUnknownError): Promise<string[]> {
  const { explanation, candidates } = await error.reconcile();
  if (candidates.length === 0 || isTooDeep(candidates)) return [explanation];
  return [explanation, `Candidates: ${JSON.stringify(candidates.slice(0, shownCandidates))}`];
}

function adviceOn(error: RequestError, { id, scope, roles }: Operation): string {
  if (error.outcome === "unknown")
    return `Do not call ${toolName(id)} again on your own. Find out what happened, and let the user decide. On a mock, mock_list_requests shows it.`;
  if (error.outcome === "applied") return `Do not call ${toolName(id)} again. Read the present state instead.`;
  if (!isApiError(error)) return "Check that the server can be reached, then call again.";
  if (error instanceof AuthenticationError)
    return "Ask the user to check the credential that this server was started with.";
  if (error instanceof PermissionDeniedError)
    return `Ask the user for a credential that may do this. It needs the scope ${scope} and one of the roles ${roles.join(", ")}.`;
  if (error instanceof NotFoundError) return "Check the id. It must belong to the selected account.";
  if (error instanceof ConflictError) return "Read the present state, then choose other values.";
  if (error instanceof RateLimitError)
    return `Wait ${error.retryAfterSecs === undefined ? "a few seconds" : formatDuration(error.retryAfterSecs * 1000)} before the next call. On a mock, the clock must move as far.`;
  if (error instanceof ServerError) return "Call again later. Nothing was carried out.";
  return "Do not repeat the call unchanged. Correct the arguments, or ask the user to remove what prevents it.";
}
