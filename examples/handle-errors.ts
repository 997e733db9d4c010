import {
  type CallTransfer,
  isApiError,
  OutcomeUnknownError,
  RateLimitError,
} from "@call-transfer/sdk";

/** Creates a group and says in words what came of it. */
export async function createGroup(
  client: CallTransfer,
  name: string,
  destinationIds: string[],
): Promise<string> {
  try {
    const members = destinationIds.map((destinationId) => ({ destinationId }));
    const group = await client.destinationGroups.create({ name, members });
    return `created ${group.id}`;
  } catch (error) {
    if (isApiError(error, "validation_failed")) {
      return error.errors
        .map(({ field, code }) => `${field}: ${code}`)
        .join(", ");
    }
    if (isApiError(error, "resource_already_exists"))
      return `the name ${name} is taken`;
    if (error instanceof RateLimitError)
      return `wait ${error.meta?.retryAfterSecs ?? "a few"} seconds`;
    throw error;
  }
}

/** Places a call and says what is known of it. */
export async function placeCall(
  client: CallTransfer,
  call: Parameters<typeof client.calls.create>[0],
) {
  const { data, error } = await client.calls.create(call).result();
  if (data) return data.type;
  if (error instanceof OutcomeUnknownError) {
    const { candidates, explanation } = await error.reconcile();
    return `perhaps placed, ${candidates.length} candidates: ${explanation}`;
  }
  throw error;
}
